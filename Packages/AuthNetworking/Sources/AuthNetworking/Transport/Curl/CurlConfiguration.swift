#if canImport(CCurl)
/// Whom a ``CurlTransport`` trusts.
public struct CurlConfiguration: Sendable {
  /// A PEM file of the roots to trust instead of the system's; nil for the system's.
  public var caFile: String?
  /// The keys that a server may have, any of them; none for all that the roots vouch for.
  ///
  /// With a pin nothing is sent over plain `http`, which has no key that could be checked.
  public var pins: [SPKIPin]
  /// How long a kept connection may have been idle and still gets a request that must not be
  /// sent twice, a `POST` above all.
  ///
  /// In whole seconds; 0 gives each such request a new connection. Keep it below the time after
  /// which the server closes idle connections; most wait for 5 s and more.
  public var longestIdleBeforePost = 2

  /// A configuration from its parts.
  public init(caFile: String? = nil, pins: [SPKIPin] = []) {
    self.caFile = caFile
    self.pins = pins
  }
}
#endif
