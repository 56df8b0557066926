// One place for the platform's C library; files that need it import it the same way.
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Calls of the operating system whose failures are typed errors.
enum POSIX {
  /// The last failed call's cause, in words.
  static func cause(_ code: Int32) -> String { String(cString: strerror(code)) }

  static func failure(_ what: String, _ path: String, _ code: Int32 = errno) -> StorageError {
    let advice = DiskFault(code)?.advice ?? "Nothing was changed."
    return .io("\(what) \(path): \(cause(code))", advice: advice)
  }

  /// What is at a path, without following a link there; nil where nothing is.
  static func status(_ path: String) throws(StorageError) -> stat? {
    var status = stat()
    if lstat(path, &status) == 0 { return status }
    if errno == ENOENT { return nil }
    throw failure("cannot look at", path)
  }

  /// Whether the system would let us write to a file.
  static func mayWrite(_ path: String) -> Bool { access(path, W_OK) == 0 }

  static func isKind(_ status: stat, _ kind: mode_t) -> Bool { status.st_mode & S_IFMT == kind }

  /// Opens a file of ours for reading and writing, made with mode 0600 where it is missing.
  static func openFile(_ path: String, creating: Bool) throws(StorageError) -> Int32 {
    let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | (creating ? O_CREAT : 0)
    let file = open(path, flags, 0o600)
    guard file >= 0 else { throw failure("cannot open", path) }
    // A umask can only take bits away; ours are needed whatever it is.
    if creating, fchmod(file, 0o600) != 0 {
      let code = errno
      close(file)
      throw failure("cannot set the permissions of", path, code)
    }
    return file
  }

  /// Makes the entry of a new or renamed file durable.
  static func syncDirectory(_ path: String) throws(StorageError) {
    let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw failure("cannot open", path) }
    defer { close(directory) }
    guard fsync(directory) == 0 else { throw failure("cannot sync", path) }
  }

  static func writeAll(_ file: Int32, _ bytes: [UInt8], path: String) throws(StorageError) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        pwrite(file, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(done))
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw failure("cannot write", path)
      }
      done += count
    }
  }

  static func readAll(_ file: Int32, limit: Int, path: String) throws(StorageError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        pread(file, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(done))
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw failure("cannot read", path)
      }
      if count == 0 { break }
      done += count
    }
    defer { Sodium.wipe(&bytes) }
    return Array(bytes.prefix(done))
  }
}
