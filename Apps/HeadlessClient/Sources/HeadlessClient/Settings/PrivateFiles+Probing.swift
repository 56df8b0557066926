#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

extension PrivateFiles {
  /// Why nothing can be written to a directory.
  struct WriteProblem: Error {
    /// What stands in the way, as far as it makes a difference to what can be done.
    enum Reason { case full, limited, readOnly, other }

    /// What stands in the way.
    var reason: Reason
    /// The same as an error of the command line.
    var error: ClientError
  }

  // More than one commit of a session writes.
  private static let probeBytes = 128 << 10

  /// Writes some file to a directory, durably, and takes it away again.
  ///
  /// - Throws: ``WriteProblem`` where that cannot be done.
  static func probe(_ directory: String) throws(WriteProblem) {
    let path = FilePath.join(directory, ".probe.\(getpid())")
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw problem(directory, errno) }
    defer { unlink(path) }
    let isWritten = fill(descriptor) && fsync(descriptor) == 0
    let reason = errno
    close(descriptor)
    guard isWritten else { throw problem(directory, reason) }
  }

  private static func fill(_ descriptor: Int32) -> Bool {
    let block = [UInt8](repeating: 0x5A, count: 4096)
    var left = probeBytes
    while left > 0 {
      let count = write(descriptor, block, min(left, block.count))
      if count < 0, errno != EINTR { return false }
      left -= max(0, count)
    }
    return true
  }

  private static func problem(_ directory: String, _ number: Int32) -> WriteProblem {
    let reason: WriteProblem.Reason =
      switch number {
      case ENOSPC, EDQUOT: .full
      case EFBIG: .limited
      case EROFS: .readOnly
      default: .other
      }
    let text = "\(directory) cannot be written to: \(String(cString: strerror(number)))"
    return WriteProblem(reason: reason, error: ClientError(.storage, text))
  }

  /// The files and directories at and below a path that other users may read, write or enter.
  ///
  /// Links are not followed. What cannot be looked at is left out.
  static func exposed(below path: String) -> [String] {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else { return [] }
    let own = status.st_mode & 0o077 != 0 ? [path] : []
    guard status.st_mode & S_IFMT == S_IFDIR, let stream = opendir(path) else { return own }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return own + names.sorted().flatMap { exposed(below: FilePath.join(path, $0)) }
  }
}
