internal import ByteStream
internal import HTTP2

/// What a connection tells its owner, with no lock held.
enum ConnectionNotice: Sendable {
  /// The peer's settings have come: it speaks HTTP/2.
  case ready

  /// The peer answered a request: the connection is good.
  case proved

  /// The peer opens no new streams on it.
  case draining(HTTP2ErrorCode, debugData: [UInt8])

  /// The peer answered the probe: the connection is alive at this moment.
  case answered

  /// Nobody used it for long, and it was closed.
  case idle

  /// It is over; every stream was told already.
  case closed(ByteStreamError)
}

/// Who made a connection.
protocol ConnectionOwner: AnyObject, Sendable {
  /// A peer opened a stream (at a server). Called under the connection's lock.
  func accept(
    _ headers: [HTTP2Header],
    stream: Int32,
    on connection: Connection
  ) -> any StreamHandler

  func received(_ notice: ConnectionNotice, from connection: Connection)
}
