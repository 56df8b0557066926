/// A token bucket for attempts, kept as one instant: pure, without clock (GCRA, ITU-T I.371).
///
/// Each attempt moves the instant at which the bucket is full again by one share of the minute;
/// where it lies too far ahead the bucket is empty. Instants are in milliseconds.
struct AttemptBucket: Equatable, Sendable {
  /// How many attempts, and how fast they come back.
  struct Rate: Equatable, Sendable {
    /// So many attempts come back in a minute, and so many can be made at once.
    let attemptsPerMinute: Int64

    /// The time in which one attempt comes back; rounded up, never in favour of who attempts.
    var share: Int64 { (60_000 + attemptsPerMinute - 1) / attemptsPerMinute }
    /// The time in which an empty bucket fills.
    var whole: Int64 { share * attemptsPerMinute }

    /// Nil for a rate of none, which means no limit.
    init?(attemptsPerMinute: Int64) {
      guard attemptsPerMinute > 0 else { return nil }
      self.attemptsPerMinute = min(attemptsPerMinute, 60_000)
    }
  }

  /// From this instant on it is full, and as if it had never been used.
  private(set) var fullAt: Int64

  /// A full bucket.
  init(at now: Int64) { fullAt = now }

  /// In how many milliseconds there will be an attempt; nil where there is one now.
  mutating func wait(at now: Int64, _ rate: Rate) -> Int64? {
    // A clock that was set back must not keep anybody out for longer than a whole bucket.
    fullAt = min(fullAt, now + rate.whole)
    let excess = fullAt + rate.share - (now + rate.whole)
    return excess > 0 ? excess : nil
  }

  /// Takes the attempt that ``wait(at:_:)`` said was there.
  mutating func take(at now: Int64, _ rate: Rate) { fullAt = max(fullAt, now) + rate.share }

  /// Gives back an attempt that was taken.
  mutating func giveBack(_ rate: Rate) { fullAt -= rate.share }
}
