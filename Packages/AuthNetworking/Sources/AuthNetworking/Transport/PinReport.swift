/// A server whose key is none of the pinned ones.
public struct PinReport: Equatable, Sendable {
  /// The host that was asked for.
  public var host: String
  /// The key that the server has.
  public var key: SPKIPin
  /// The keys that counted.
  public var pinned: [SPKIPin]
  /// Whether the request was refused.
  public var isEnforced: Bool

  /// A report from its parts.
  public init(host: String, key: SPKIPin, pinned: [SPKIPin], isEnforced: Bool) {
    self.host = host
    self.key = key
    self.pinned = pinned
    self.isEnforced = isEnforced
  }
}
