/// The time that a server asked for before the next refresh, kept for the processes that come after.
///
/// Both instants are by the device's clock, in seconds since 1970. A clock that was set shows in
/// that the present lies before ``since``; what is left is then not to be trusted.
public struct RefreshPause: Equatable, Sendable, Codable {
  /// When the server said so.
  public var since: Double
  /// Before when nothing is to be sent.
  public var until: Double
  /// The status that it came with.
  public var status: Int?

  /// A pause from its parts.
  public init(since: Double, until: Double, status: Int?) {
    self.since = since
    self.until = until
    self.status = status
  }
}
