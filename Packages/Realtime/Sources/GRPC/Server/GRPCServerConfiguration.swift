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

  /// How many connections one address may have at once; nil for any number.
  ///
  /// Of IPv6 a network of 64 bits counts as one address. What is beyond is closed at once.
  public var connectionsPerAddress: Int?

  /// How long a connection is kept whose client makes no call; nil for ever.
  ///
  /// It counts from the acceptance, or from the end of the TLS handshake, which itself may take 10 s.
  /// Once there was a call, the connection may be idle for as long as its client likes.
  public var firstCallTimeout: Duration?

  /// The default settings, with TLS or without.
  public init(tls: TLSServerConfiguration? = nil) { self.tls = tls }
}
