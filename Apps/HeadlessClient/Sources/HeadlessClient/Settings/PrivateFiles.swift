#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Directories and small files that only their owner may open.
enum PrivateFiles {
  /// What is known of a path's owner and mode; nil where nothing is there.
  static func modes(of path: String) throws(ClientError) -> (isOurs: Bool, bits: UInt32)? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure("\(path) cannot be examined")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw ClientError(.storage, "\(path) is not a directory")
    }
    return (status.st_uid == geteuid(), UInt32(status.st_mode) & 0o777)
  }

  /// Makes a directory of mode 0700, and those above it where they are missing.
  static func makeDirectory(_ path: String) throws(ClientError) {
    if mkdir(path, 0o700) == 0 {
      // The umask may have taken bits away that the owner needs.
      guard chmod(path, 0o700) == 0 else { throw failure("\(path) cannot be given mode 0700") }
      return
    }
    if errno == EEXIST { return }
    let parent = FilePath.parent(of: path)
    guard errno == ENOENT, parent != path else { throw failure("\(path) cannot be made") }
    try makeDirectory(parent)
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw failure("\(path) cannot be made")
    }
  }

  /// Takes everybody else's rights to a directory away.
  ///
  /// - Returns: whether that could be done; not on a read-only disk.
  static func tighten(_ path: String) throws(ClientError) -> Bool {
    if chmod(path, 0o700) == 0 { return true }
    guard errno == EROFS else { throw failure("\(path) cannot be given mode 0700") }
    return false
  }

  /// Whether a symbolic link has this name.
  static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Whether anything has this name.
  ///
  /// What cannot be looked at is no absence (R14).
  static func exists(_ path: String) throws(ClientError) -> Bool {
    var status = stat()
    if lstat(path, &status) == 0 { return true }
    if errno == ENOENT || errno == ENOTDIR { return false }
    throw failure("\(path) cannot be examined")
  }

  /// Renames a file to a free name beside it.
  ///
  /// - Returns: the new path.
  static func setAside(_ path: String) throws(ClientError) -> String {
    var (target, number) = ("\(path).aside", 1)
    while try exists(target) {
      number += 1
      target = "\(path).aside-\(number)"
    }
    guard rename(path, target) == 0 else { throw failure("\(path) cannot be moved") }
    return target
  }

  /// Whether a file can be read by this process.
  static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }

  /// The bytes of a file of others, links followed; nil where there is none.
  static func publicBytes(_ path: String, atMost limit: Int) throws(ClientError) -> [UInt8]? {
    // Without O_NONBLOCK a FIFO would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure("\(path) cannot be read")
    }
    defer { close(descriptor) }
    return try bytes(of: descriptor, atMost: limit, named: path)
  }

  /// A file's bytes, or nil where there is none.
  static func read(_ path: String, atMost limit: Int) throws(ClientError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure("\(path) cannot be read")
    }
    defer { close(descriptor) }
    return try bytes(of: descriptor, atMost: limit, named: path)
  }

  /// All bytes up to the end of a file or stream.
  static func bytes(
    of descriptor: Int32,
    atMost limit: Int,
    named name: String
  ) throws(ClientError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = readSome(descriptor, &buffer)
      if count == 0 { return bytes }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw failure("\(name) cannot be read")
      }
      bytes += buffer[..<count]
      guard bytes.count <= limit else {
        throw ClientError(.invalidInput, "\(name) holds more than \(limit) bytes")
      }
    }
  }

  private static func readSome(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int {
    buffer.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
  }

  /// Replaces a file as a whole: after a crash there is the old one or the new one (mode 0600).
  static func replace(_ path: String, with bytes: [UInt8]) throws(ClientError) {
    let temporary = "\(path).\(getpid()).new"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure("\(temporary) cannot be made") }
    let isWritten = writeAll(bytes, to: descriptor) && fsync(descriptor) == 0
    let reason = errno
    close(descriptor)
    guard isWritten, rename(temporary, path) == 0 else {
      let shown = isWritten ? errno : reason
      unlink(temporary)
      throw failure("\(path) cannot be written", shown)
    }
    let directory = open(FilePath.parent(of: path), O_RDONLY | O_CLOEXEC)
    if directory >= 0 {
      fsync(directory)
      close(directory)
    }
  }

  private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno != EINTR { return false }
      rest = rest.dropFirst(max(0, count))
    }
    return true
  }

  private static func failure(_ text: String, _ reason: Int32 = errno) -> ClientError {
    ClientError(.storage, "\(text): \(String(cString: strerror(reason)))")
  }
}

private func systemRead(_ descriptor: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int) -> Int
{
  read(descriptor, start, count)
}
