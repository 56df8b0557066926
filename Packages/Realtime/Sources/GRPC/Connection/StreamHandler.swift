internal import HTTP2

/// How a stream ended on the connection's level.
enum StreamClosure: Sendable {
  /// Both sides ended it.
  case finished

  /// One side reset it.
  case reset(HTTP2ErrorCode, remotely: Bool)

  /// The peer never looked at it: it may be sent again. `wasSent` says whether it has left.
  case unprocessed(String, wasSent: Bool)

  /// The connection broke while it was open.
  case connectionLost(String)
}

/// One side of one call.
///
/// Everything here is called under the connection's lock, so an implementation never calls the
/// connection from it.
protocol StreamHandler: AnyObject, Sendable {
  func received(_ headers: [HTTP2Header], kind: HTTP2HeadersKind, endStream: Bool)

  /// Header fields were above the limit and not taken: the stream is being reset.
  func refusedHeaders()

  func received(_ data: UnsafeRawBufferPointer)

  /// The peer has ended its side.
  func ended()

  func closed(_ closure: StreamClosure, _ wakes: inout Wakes)

  /// Called once after a read that touched the stream: says whom to wake, and returns the bytes of
  /// window to give back.
  func settle(_ wakes: inout Wakes) -> Int

  /// What waits for the peer's window, after each write that touched the stream.
  func wrote(pending: Int, _ wakes: inout Wakes)
}
