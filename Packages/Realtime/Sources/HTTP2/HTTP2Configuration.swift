/// The limits that one side of a connection sets itself and its peer.
public struct HTTP2Configuration: Equatable, Sendable {
  /// Bytes that the peer may send on one stream before they are consumed; at most 2^31 - 1.
  public var streamWindow: Int32 = 4 << 20

  /// Bytes that the peer may send on all streams before they are consumed.
  public var connectionWindow: Int32 = 8 << 20

  /// Streams that the peer may have open at once (a server's limit).
  public var maximumConcurrentStreams: UInt32 = 1000

  /// The largest list of header fields taken, counted as RFC 9113 does (32 bytes a field).
  public var maximumHeaderListSize = 64 << 10

  /// CONTINUATION frames taken for one list of header fields; 64 KiB of them need four.
  public var maximumContinuations = 64

  /// Control frames taken at once, beyond which the peer is flooding.
  public var controlFrameBurst = 1000

  /// Control frames taken per second in the long run.
  public var controlFramesPerSecond = 100

  /// The default limits.
  public init() {}
}
