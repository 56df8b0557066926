import HTTP2

/// Gives the bytes to both sides of a connection, in pieces whose size the first byte says.
func examine(_ bytes: [UInt8]) {
  guard let first = bytes.first else { return }
  let pieces = pieces(bytes.dropFirst(), of: Int(first) + 1)
  examine(.client, pieces)
  // A server looks for nothing else before it has seen the preface.
  examine(.server, [Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)] + pieces)
}

private func examine(_ role: HTTP2Session.Role, _ pieces: [[UInt8]]) {
  guard let session = try? HTTP2Session(role) else { return }
  let handler = Handler(session)
  session.handler = handler
  if role == .client {
    let stream = try? session.submitRequest([
      HTTP2Header(":method", "POST"), HTTP2Header(":scheme", "http"), HTTP2Header(":path", "/"),
      HTTP2Header(":authority", "h"),
    ])
    if let stream { session.end(stream: stream) }
  }
  var output: [UInt8] = []
  let start = ContinuousClock.now
  for piece in pieces {
    do {
      try piece.withUnsafeBytes { try session.receive($0, now: start) }
      try session.takeOutput(into: &output, limit: 1 << 16)
    } catch {
      return
    }
    output = []
    if session.isFinished { return }
  }
}

private func pieces(_ bytes: ArraySlice<UInt8>, of size: Int) -> [[UInt8]] {
  stride(from: bytes.startIndex, to: bytes.endIndex, by: size).map { start in
    Array(bytes[start..<min(start + size, bytes.endIndex)])
  }
}

/// Answers what it is asked, and gives back what it got.
private final class Handler: HTTP2Handler {
  private unowned let session: HTTP2Session

  init(_ session: HTTP2Session) { self.session = session }

  func received(
    _ headers: [HTTP2Header],
    kind: HTTP2HeadersKind,
    endStream: Bool,
    stream: Int32
  ) {
    guard kind == .request else { return }
    try? session.submitResponse([HTTP2Header(":status", "200")], stream: stream)
    session.send([1, 2, 3], stream: stream)
    session.end(stream: stream, trailers: [HTTP2Header("grpc-status", "0")])
  }

  func received(_ data: UnsafeRawBufferPointer, stream: Int32) {
    session.consume(data.count, stream: stream)
  }

  func refusedHeaders(stream: Int32) {}

  func ended(stream: Int32) {}

  func closed(stream: Int32, code: HTTP2ErrorCode, remotely: Bool) {}

  func sent(_ count: Int, stream: Int32) {}

  func receivedGoAway(lastStream: Int32, code: HTTP2ErrorCode, debugData: [UInt8]) {}

  func receivedSettings() {}

  func receivedPingAnswer(_ payload: UInt64) {}
}
