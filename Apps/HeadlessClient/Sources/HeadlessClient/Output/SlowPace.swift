/// Says when something may be shown again: ten times a second at most, a value without a clock.
struct SlowPace {
  /// Showing more often would cost more than the work that it shows.
  static let pause = Duration.milliseconds(100)

  private var last: Duration?

  /// Whether it is time, which counts as shown then.
  mutating func isDue(at now: Duration) -> Bool {
    if let last, now - last < SlowPace.pause { return false }
    last = now
    return true
  }
}
