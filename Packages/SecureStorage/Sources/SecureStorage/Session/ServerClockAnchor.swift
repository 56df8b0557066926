/// What a server's clock showed when the device had been running for so long (R11).
///
/// Holds while the device runs, whatever its own clock is set to.
public struct ServerClockAnchor: Equatable, Sendable, Codable {
  /// Names the device's start.
  public var start: String
  /// The seconds that the device had been running, sleep included.
  public var uptime: Double
  /// The server's seconds since 1970, then.
  public var serverTime: Double

  /// An anchor from its parts.
  public init(start: String, uptime: Double, serverTime: Double) {
    self.start = start
    self.uptime = uptime
    self.serverTime = serverTime
  }
}
