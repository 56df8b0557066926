internal import HTTP2

/// A stream that was answered without a call: what it still sends is dropped.
final class RefusedStream: StreamHandler {
  func received(_ headers: [HTTP2Header], kind: HTTP2HeadersKind, endStream: Bool) {}

  func refusedHeaders() {}

  func received(_ data: UnsafeRawBufferPointer) {}

  func ended() {}

  func closed(_ closure: StreamClosure, _ wakes: inout Wakes) {}

  func settle(_ wakes: inout Wakes) -> Int { 0 }

  func wrote(pending: Int, _ wakes: inout Wakes) {}
}
