/// The ports that a backend really listens on.
public struct BackendPorts: Equatable, Sendable {
  /// HTTP/1.1: both dialects.
  public let http: UInt16
  /// gRPC: the realtime service.
  public let realtime: UInt16

  /// Both ports.
  public init(http: UInt16, realtime: UInt16) {
    self.http = http
    self.realtime = realtime
  }
}
