/// When to try again to reach a server: soon at first, then less often.
struct ReconnectBackoff: Sendable {
  private static let first: Duration = .milliseconds(50)
  private static let longest: Duration = .seconds(1)

  private var delay = Self.first
  private var notBefore: ContinuousClock.Instant?

  /// Whether the last try failed.
  var hasFailed: Bool { notBefore != nil }

  /// Whether a try may be made.
  func mayTry(at instant: ContinuousClock.Instant) -> Bool {
    notBefore.map { $0 <= instant } ?? true
  }

  /// A try failed.
  ///
  /// - Parameters:
  ///   - instant: when.
  ///   - jitter: from 0 to 1: instances that lost the same server do not all come back at once.
  /// - Returns: how long to wait for the next.
  @discardableResult
  mutating func failed(at instant: ContinuousClock.Instant, jitter: Double) -> Duration {
    let wait = delay * (0.5 + min(max(jitter, 0), 1) / 2)
    notBefore = instant + wait
    delay = min(delay * 2, Self.longest)
    return wait
  }

  /// A try succeeded.
  mutating func succeeded() { self = ReconnectBackoff() }
}
