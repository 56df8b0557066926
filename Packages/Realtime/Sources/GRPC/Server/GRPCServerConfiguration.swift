public import ByteStream
public import HTTP2

/// The settings of a ``GRPCServer``.
public struct GRPCServerConfiguration: Sendable {
  /// Certificate and key; nil for HTTP/2 in the clear (h2c).
  public var tls: TLSServerConfiguration?

  /// Windows and limits of the connections.
  public var http2 = HTTP2Configuration()

  /// The largest message taken, in bytes, also after inflation.
  public var maximumMessageBytes = 4 << 20

  /// Bytes of one call that may wait for a slow client before ``GRPCServerCall/send(_:)`` suspends.
  public var sendBuffer = 64 << 10

  /// The default settings, with TLS or without.
  public init(tls: TLSServerConfiguration? = nil) { self.tls = tls }
}
