#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Sees to it that a store's directory and files are ours and nobody else's.
struct PrivateFiles {
  private(set) var notes: [StoreNote] = []
  /// Whether it is for removing a session: then nothing that is ours stands in the way (R4).
  var isWiping = false

  /// Makes the directory where it is missing, tightens it where others can read it.
  ///
  /// - Throws: `io` where it is a link, not ours, or others can write to it.
  mutating func prepareDirectory(_ path: String) throws(StorageError) {
    guard let status = try POSIX.status(path) else {
      try makeDirectory(path)
      return
    }
    guard !POSIX.isKind(status, S_IFLNK) else { throw PrivateFiles.link(path) }
    guard POSIX.isKind(status, S_IFDIR) else {
      throw .io("\(path) is not a directory", advice: "Name another place for the store.")
    }
    guard status.st_uid == geteuid() else { throw PrivateFiles.foreign(path) }
    if isWiping, status.st_mode & 0o777 != 0o700 { return try tighten(path, to: 0o700) }
    try refuseWritable(status, path)
    if status.st_mode & 0o077 != 0 { try tighten(path, to: 0o700) }
  }

  /// Checks a file that is to be opened; one that is missing is fine.
  ///
  /// - Returns: Whether it exists.
  /// - Throws: `io` where it is a link, no regular file, not ours, or others can write to it.
  mutating func check(_ path: String) throws(StorageError) -> Bool {
    guard let status = try POSIX.status(path) else { return false }
    try PrivateFiles.checkKind(status, path)
    guard status.st_uid == geteuid() else { throw PrivateFiles.foreign(path) }
    guard status.st_nlink == 1 || isWiping else {
      throw .io(
        "\(path) has a second name (a hard link)",
        advice: "What is done to it by one name is not seen by the other: remove the other one."
      )
    }
    if isWiping, status.st_mode & 0o777 != 0o600 {
      try tighten(path, to: 0o600)
      return true
    }
    try refuseWritable(status, path)
    if status.st_mode & 0o077 != 0 { try tighten(path, to: 0o600) }
    return true
  }

  /// Sees whether what stands in a file's place is a file, whoever may use it.
  ///
  /// - Throws: `io` where it is a link, a directory, a pipe or the like.
  static func checkKind(_ path: String) throws(StorageError) {
    if let status = try POSIX.status(path) { try checkKind(status, path) }
  }

  private static func checkKind(_ status: stat, _ path: String) throws(StorageError) {
    let kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: ""
      case S_IFLNK: throw link(path)
      case S_IFDIR: "a directory"
      case S_IFIFO: "a pipe"
      case S_IFSOCK: "a socket"
      default: "a device"
      }
    guard kind.isEmpty else {
      throw .io(
        "\(path) is \(kind), not a file",
        advice: "Move it away, and put the store's own file in its place. `store reset` starts "
          + "afresh. Nothing was changed."
      )
    }
  }

  private func makeDirectory(_ path: String) throws(StorageError) {
    let parent = PrivateFiles.parent(of: path)
    if parent != path, try POSIX.status(parent) == nil { try makeDirectory(parent) }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw POSIX.failure("cannot make the directory", path)
    }
    // A umask may have taken our own bits away.
    guard chmod(path, 0o700) == 0 else { throw POSIX.failure("cannot set permissions of", path) }
    try POSIX.syncDirectory(parent)
  }

  private func refuseWritable(_ status: stat, _ path: String) throws(StorageError) {
    guard status.st_mode & 0o022 == 0 else {
      throw .io(
        "Other users can write to \(path)",
        advice: "See what they may have changed, then take the permission away (chmod go-rwx)."
      )
    }
  }

  private mutating func tighten(_ path: String, to mode: mode_t) throws(StorageError) {
    guard chmod(path, mode) == 0 else {
      guard errno == EROFS else { throw POSIX.failure("cannot set permissions of", path) }
      notes.append(.readableByOthers(path: path))
      return
    }
    notes.append(.tightenedPermissions(path: path))
  }

  private static func link(_ path: String) -> StorageError {
    .io(
      "\(path) is a symbolic link",
      advice: "Links are not followed: put what it leads to in its place."
    )
  }

  private static func foreign(_ path: String) -> StorageError {
    .io("\(path) belongs to another user", advice: "Name a place of your own for the store.")
  }

  static func parent(of path: String) -> String {
    var parts = path.split(separator: "/", omittingEmptySubsequences: true)
    guard !parts.isEmpty else { return path.hasPrefix("/") ? "/" : "." }
    parts.removeLast()
    if parts.isEmpty { return path.hasPrefix("/") ? "/" : "." }
    return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }
}
