/// Tells a flood of control frames (PING, SETTINGS, RST_STREAM, empty DATA) from their ordinary
/// use: a bucket that refills with time, and with the data that control frames accompany.
struct FloodGuard {
  private let burst: Double
  private let perSecond: Double
  private var tokens: Double
  private var last: ContinuousClock.Instant?

  init(burst: Int, perSecond: Int) {
    self.burst = Double(burst)
    self.perSecond = Double(perSecond)
    self.tokens = Double(burst)
  }

  /// Data went one way or the other: a peer that measures the connection pings with each round trip
  /// of it, thousands of times a second on a short way.
  mutating func dataPassed() { tokens = min(burst, tokens + 1) }

  /// Counts one control frame; false when there were too many.
  mutating func admit(at now: ContinuousClock.Instant) -> Bool {
    if let last {
      tokens = min(burst, tokens + (now - last) / .seconds(1) * perSecond)
    }
    last = now
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }
}
