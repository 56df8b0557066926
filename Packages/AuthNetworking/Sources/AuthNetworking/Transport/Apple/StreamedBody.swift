#if canImport(Darwin)
internal import Dispatch
internal import Foundation

/// Pours a body that is not in memory into a stream that URLSession reads.
enum StreamedBody {
  /// Owns the writing end while a thread uses it.
  ///
  /// `@unchecked` holds because the stream is handed to that one thread and used nowhere else.
  private struct Output: @unchecked Sendable { let stream: OutputStream }

  /// The reading end of a new stream of the body, from its beginning.
  ///
  /// - Parameters:
  ///   - content: the body; nil is returned where it is in memory.
  ///   - onFailure: called before the stream ends where the body could not be read: nobody must
  ///     take what came so far for all of it.
  /// - Returns: the reading end.
  static func open(
    _ content: RequestBody,
    onFailure: @escaping @Sendable (TransportError) -> Void
  ) -> InputStream? {
    let ready = DispatchSemaphore(value: 0)
    var input: InputStream?
    var output: OutputStream?
    Stream.getBoundStreams(withBufferSize: 65_536, inputStream: &input, outputStream: &output)
    guard let output else { return nil }
    let writing = Output(stream: output)
    let isStarted = DetachedThread.start {
      guard let reader = content.reader(whenReady: { ready.signal() }) else { return }
      pour(reader, into: writing.stream, ready, onFailure)
    }
    return isStarted ? input : nil
  }

  private static func pour(
    _ reader: any BodyReader,
    into output: OutputStream,
    _ ready: DispatchSemaphore,
    _ onFailure: (TransportError) -> Void
  ) {
    output.open()
    defer {
      output.close()
      reader.close()
    }
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let read = piece.withUnsafeMutableBytes { buffer in
        Result { () throws(TransportError) in try reader.read(into: buffer) }
      }
      switch read {
      case .failure(let error):
        onFailure(error)
        return
      case .success(nil):
        // Woken by the stream; one that is never heard of again is left by its task's end.
        while ready.wait(timeout: .now() + 1) == .timedOut {
          if isClosed(output) { return }
        }
      case .success(0): return
      case .success(let count?):
        guard write(piece.prefix(count), to: output) else { return }
      }
    }
  }

  /// Whether URLSession reads no more.
  private static func isClosed(_ output: OutputStream) -> Bool {
    [.closed, .error, .atEnd].contains(output.streamStatus)
  }

  /// Writes all of it, waiting for room; false where nobody reads any more.
  private static func write(_ bytes: ArraySlice<UInt8>, to output: OutputStream) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map { output.write($0, maxLength: buffer.count) } ?? 0
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
#endif
