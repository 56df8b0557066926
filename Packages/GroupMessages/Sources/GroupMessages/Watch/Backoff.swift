/// How long to wait before the next try: one second, doubled with each failure up to half a
/// minute, a part of it by chance so that clients do not come back all at once.
struct Backoff: Sendable {
  private(set) var failures = 0

  /// Counts a failure.
  ///
  /// - Parameters:
  ///   - retryAfter: what the server asked for. It is obeyed up to ten minutes, beyond which it
  ///     is taken for a mistake.
  ///   - chance: 0 to 1.
  /// - Returns: how long to wait.
  mutating func next(retryAfter: Duration?, chance: Double) -> Duration {
    // Written so that NaN is none.
    let share = chance > 0 ? min(chance, 1) : 0
    let ceiling = Duration.seconds(min(1 << min(failures, 5), 30))
    failures += 1
    let delay = ceiling / 2 + ceiling / 2 * share
    return max(delay, Backoff.obeyed(retryAfter ?? .zero))
  }

  /// How much of a `Retry-After` is obeyed.
  static func obeyed(_ retryAfter: Duration) -> Duration { min(retryAfter, .seconds(600)) }

  mutating func reset() { failures = 0 }
}
