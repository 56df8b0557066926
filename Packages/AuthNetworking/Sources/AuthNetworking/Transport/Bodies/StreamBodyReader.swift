/// Reads a stream for one attempt; it begins when the first byte is wanted.
final class StreamBodyReader: BodyReader {
  private let stream: BodyStream
  private let wake: @Sendable () -> Void
  private var flow: (pipe: BodyPipe, pump: Task<Void, Never>)?
  private var position: Int64 = 0

  init(_ stream: BodyStream, whenReady wake: @escaping @Sendable () -> Void) {
    self.stream = stream
    self.wake = wake
  }

  deinit { close() }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int? {
    if let length = stream.length, position == length { return 0 }
    guard let count = try pipe().read(into: buffer) else { return nil }
    position += Int64(count)
    if let length = stream.length, position > length || count == 0 {
      throw TransportError(
        .body,
        "The body's stream has \(count == 0 ? "fewer" : "more") bytes than the \(length) announced"
      )
    }
    return count
  }

  func rewind() -> Bool {
    if position == 0 { return true }
    guard stream.isReplayable else { return false }
    close()
    position = 0
    return true
  }

  func close() {
    flow?.pipe.close()
    flow?.pump.cancel()
    flow = nil
  }

  private func pipe() -> BodyPipe {
    if let flow { return flow.pipe }
    let pipe = BodyPipe(whenReady: wake)
    flow = (pipe, stream.start(pipe))
    return pipe
  }
}
