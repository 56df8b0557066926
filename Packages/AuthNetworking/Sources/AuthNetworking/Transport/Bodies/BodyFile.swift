#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// A file as it was when a request was made of it.
struct BodyFile: Sendable {
  let path: String
  let size: Int64
  private let identity: Identity

  /// What changes with every write and with every replacement of a file.
  private struct Identity: Equatable {
    let device: UInt64
    let number: UInt64
    let size: Int64
    let changed: [UInt8]

    init(_ status: stat) {
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(truncatingIfNeeded: status.st_ino)
      size = Int64(status.st_size)
      // As bytes: which module its fields belong to is not the same in every build.
      #if canImport(Darwin)
      changed = withUnsafeBytes(of: status.st_mtimespec) { Array($0) }
      #else
      changed = withUnsafeBytes(of: status.st_mtim) { Array($0) }
      #endif
    }
  }

  /// Looks at a file.
  init(_ path: String) throws(TransportError) {
    let (descriptor, status) = try BodyFile.open(path)
    _ = close(descriptor)
    self.path = path
    size = Int64(status.st_size)
    identity = Identity(status)
  }

  /// Opens it for reading; it has to be what it was.
  func open() throws(TransportError) -> Int32 {
    let (descriptor, status) = try BodyFile.open(path)
    guard Identity(status) == identity else {
      _ = close(descriptor)
      throw changed
    }
    return descriptor
  }

  /// Whether an open file is still what it was.
  func isUnchanged(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && Identity(status) == identity
  }

  /// The error of a file that is not what it was.
  var changed: TransportError {
    TransportError(.body, "\(path) has changed since the request was made: make it again")
  }

  private static func open(_ path: String) throws(TransportError) -> (Int32, stat) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw TransportError(.body, "The name of the file to send is no file name")
    }
    // Without O_NONBLOCK a FIFO would wait for a writer.
    let descriptor = systemOpen(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      throw TransportError(.body, "\(path) cannot be read: \(SystemError.text(errno))")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      _ = close(descriptor)
      throw TransportError(.body, "\(path) is not a regular file")
    }
    return (descriptor, status)
  }
}

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
