/// What a list of header fields is.
public enum HTTP2HeadersKind: Sendable {
  /// A request, at the server: the stream is new.
  case request

  /// A 1xx answer; the real one follows.
  case informational

  /// The answer.
  case response

  /// The trailers of either side.
  case trailers
}

/// What happens in a session, told while bytes are taken in or given out.
///
/// A handler may submit and reset streams, but never call ``HTTP2Session/receive(_:now:)`` or
/// ``HTTP2Session/takeOutput(into:limit:)`` from here.
public protocol HTTP2Handler: AnyObject {
  /// Header fields have come, whole.
  func received(_ headers: [HTTP2Header], kind: HTTP2HeadersKind, endStream: Bool, stream: Int32)

  /// Header fields were above ``HTTP2Configuration/maximumHeaderListSize`` and not taken; the
  /// stream is being reset.
  func refusedHeaders(stream: Int32)

  /// Bytes of a body have come; they stay the peer's debt until they are consumed. The pointer is
  /// valid during the call only.
  func received(_ data: UnsafeRawBufferPointer, stream: Int32)

  /// The peer has ended its side.
  func ended(stream: Int32)

  /// The stream is over. `remotely` says that the peer reset it.
  func closed(stream: Int32, code: HTTP2ErrorCode, remotely: Bool)

  /// So many bytes of the body left for the wire.
  func sent(_ count: Int, stream: Int32)

  /// The peer opens no more streams: those above `lastStream` it never looked at.
  func receivedGoAway(lastStream: Int32, code: HTTP2ErrorCode, debugData: [UInt8])

  /// The peer's settings have come.
  func receivedSettings()

  /// The peer answered the ping with this payload.
  func receivedPingAnswer(_ payload: UInt64)
}
