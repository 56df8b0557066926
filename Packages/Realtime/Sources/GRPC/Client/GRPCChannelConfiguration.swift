public import HTTP2

/// The settings of a ``GRPCChannel``.
public struct GRPCChannelConfiguration: Sendable {
  /// Windows and limits of the connection.
  public var http2 = HTTP2Configuration()

  /// The largest message taken, in bytes, also after inflation.
  public var maximumMessageBytes = 4 << 20

  /// How long a connection may take to be made: name, TCP, TLS and the first word of HTTP/2.
  public var connectTimeout = Duration.seconds(20)

  /// Silence after which a peer is pinged while a call is open; nil never pings.
  ///
  /// A server that answers `too_many_pings` doubles it for the connections that follow.
  public var keepaliveInterval: Duration? = .seconds(30)

  /// How long a ping may stay unanswered before the connection is given up.
  public var keepaliveTimeout = Duration.seconds(10)

  /// How long the first ping after a suspension may stay unanswered before the connection is
  /// replaced; a call waits for it.
  public var resumeTimeout = Duration.seconds(5)

  /// How long a connection without a call is kept, for whose sake nobody pings; nil keeps it until
  /// the server ends it.
  public var idleTimeout: Duration? = .seconds(300)

  /// Bytes of one call that may wait for a slow server before ``GRPCCall/send(_:)`` suspends.
  public var sendBuffer = 64 << 10

  /// Bytes of a streaming request that are kept, so that it can be sent again when the server never
  /// saw it.
  ///
  /// A longer one is not sent again.
  public var replayBuffer = 1 << 20

  /// Sent as `user-agent`.
  public var userAgent = "mobile-auth-core-grpc/0.1"

  /// The default settings.
  public init() {}
}
