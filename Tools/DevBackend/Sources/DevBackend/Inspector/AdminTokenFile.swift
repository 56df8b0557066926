#if canImport(Darwin)
internal import Darwin
#elseif canImport(Android)
internal import Android
#else
internal import Glibc
#endif

/// A file that holds the admin token, for its owner only.
enum AdminTokenFile {
  /// Reads the token, or makes one where the file is missing; blocks.
  ///
  /// - Throws: ``BackendError`` that says what to do about the file.
  static func token(of path: String) throws(BackendError) -> String {
    let made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if made >= 0 { return try write(to: made, path) }
    guard errno == EEXIST else { throw failure("cannot make \(path): \(reason())") }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure("cannot read \(path): \(reason())") }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw failure("\(path) is no file")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw failure("others can read \(path); chmod 600 it")
    }
    var buffer = [UInt8](repeating: 0, count: 1_024)
    let count = max(0, read(file, &buffer, buffer.count))
    let token = buffer[..<count].filter { $0 > 0x20 }
    guard token.count >= 16, token.allSatisfy({ $0 < 0x7F }), count < buffer.count else {
      throw failure("\(path) holds no token of 16 characters or more; delete it, and one is made")
    }
    return String(decoding: token, as: UTF8.self)
  }

  private static func write(to file: Int32, _ path: String) throws(BackendError) -> String {
    defer { close(file) }
    let token = Hexadecimal.encode(Entropy.bytes(16))
    let line = Array("\(token)\n".utf8)
    guard systemWrite(file, line, line.count) == line.count else {
      throw failure("cannot write \(path): \(reason())")
    }
    return token
  }

  private static func reason() -> String { String(cString: strerror(errno)) }

  private static func failure(_ message: String) -> BackendError {
    BackendError(.adminToken, "--admin-token-file: \(message)")
  }
}

// The method above hides the function of the same name.
private func systemWrite(_ file: Int32, _ bytes: [UInt8], _ count: Int) -> Int {
  write(file, bytes, count)
}
