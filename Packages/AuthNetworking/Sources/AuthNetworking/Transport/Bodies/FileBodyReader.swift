#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Reads a file for one attempt, and makes sure that it is the same one all the time.
final class FileBodyReader: BodyReader {
  private let file: BodyFile
  private var descriptor: Int32?
  private var position: Int64 = 0

  init(_ file: BodyFile) { self.file = file }

  deinit { close() }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int? {
    let descriptor = try opened()
    let wanted = Int(min(Int64(buffer.count), file.size - position))
    guard wanted > 0 else { return 0 }
    let count = systemRead(descriptor, buffer.baseAddress, wanted)
    guard count >= 0 else {
      throw TransportError(.body, "\(file.path) cannot be read: \(SystemError.text(errno))")
    }
    position += Int64(count)
    // A file that was cut short; or, before the server has a whole body, one that was written to.
    guard count > 0, position < file.size || file.isUnchanged(descriptor) else {
      throw file.changed
    }
    return count
  }

  private func opened() throws(TransportError) -> Int32 {
    if let descriptor { return descriptor }
    let opened = try file.open()
    descriptor = opened
    return opened
  }

  func rewind() -> Bool {
    position = 0
    guard let descriptor else { return true }
    return lseek(descriptor, 0, SEEK_SET) == 0
  }

  func close() {
    if let descriptor { _ = systemClose(descriptor) }
    descriptor = nil
  }
}

private func systemRead(
  _ descriptor: Int32,
  _ buffer: UnsafeMutableRawPointer?,
  _ count: Int
) -> Int {
  while true {
    let result = read(descriptor, buffer, count)
    if result >= 0 || errno != EINTR { return result }
  }
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
