#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Why a disk takes no more, and what to do about it.
enum DiskFault: Equatable {
  case full
  /// There is a limit on how long a file may be.
  case fileLimit
  case readOnly
  case forbidden
  case isLink

  /// What an error of the system says of it; nil where it says something else.
  init?(_ code: Int32) {
    switch code {
    case ENOSPC, EDQUOT: self = .full
    case EFBIG: self = .fileLimit
    case EROFS: self = .readOnly
    case EACCES, EPERM: self = .forbidden
    case ELOOP: self = .isLink
    default: return nil
    }
  }

  var advice: String {
    switch self {
    case .full: "The disk is full: make room and try again."
    case .fileLimit:
      "A limit on the length of files is in the way: raise it (`ulimit -f unlimited`) and try again."
    case .readOnly: "It is on a read-only disk, where nothing can be written."
    case .forbidden: "This user may not do that: mend the permissions."
    case .isLink: "A symbolic link is in its place: put what it leads to there instead."
    }
  }

  /// The error, for what could not be done.
  func error(_ what: String) -> StorageError {
    let cause =
      switch self {
      case .full: "the disk is full"
      case .fileLimit: "the file would be too long"
      case .readOnly: "the disk is read-only"
      case .forbidden: "permission denied"
      case .isLink: "it is a symbolic link"
      }
    return .io("\(what): \(cause)", advice: advice + " Nothing was changed.")
  }
}
