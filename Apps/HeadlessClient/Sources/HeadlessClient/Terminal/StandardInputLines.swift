internal import Dispatch
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// The lines of a descriptor, one at a time as they are asked for, read on a thread that may block.
final class StandardInputLines: Sendable {
  private let descriptor: Int32
  // Serial, so that its thread is not one of those that Swift's tasks run on.
  private let queue = DispatchQueue(label: "standard input")
  private let buffer = Mutex(LineBuffer())

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// The next line without its end; nil at the end of the input, or when the task is cancelled.
  ///
  /// A reader that is cancelled does not wait for the line that it has asked for, which is lost.
  func next(atMost limit: Int) async throws(ClientError) -> [UInt8]? {
    let (answers, answer) = AsyncStream.makeStream(of: Result<[UInt8]?, ClientError>.self)
    queue.async { [self] in
      answer.yield(Result { () throws(ClientError) in try read(limit) })
      answer.finish()
    }
    for await line in answers { return try line.get() }
    return nil
  }

  /// Only one call reads at a time, since the queue is serial; the lock is not held meanwhile.
  private func read(_ limit: Int) throws(ClientError) -> [UInt8]? {
    while true {
      let (line, isEnded, count) = buffer.withLock { ($0.takeLine(), $0.isEnded, $0.count) }
      if let line { return line }
      if isEnded { return nil }
      guard count <= limit else {
        throw ClientError(.invalidInput, "a line of standard input is above \(limit) bytes")
      }
      let bytes = try readSome()
      buffer.withLock { $0.append(bytes) }
    }
  }

  private func readSome() throws(ClientError) -> [UInt8] {
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = systemRead(descriptor, &chunk)
      if count >= 0 { return Array(chunk[..<count]) }
      if errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, -1)
      } else if errno != EINTR {
        throw ClientError(
          .invalidInput,
          "standard input cannot be read: \(String(cString: strerror(errno)))"
        )
      }
    }
  }
}

private func systemRead(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int {
  read(descriptor, &buffer, buffer.count)
}
