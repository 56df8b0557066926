/// Decides when messages should gather in the socket before they are read: a value without clock
/// or I/O.
///
/// A server that writes each message by itself would have this side wake up for each, which costs
/// many times what the message does. After ``streak`` small reads in close succession, with
/// nothing sent in between, the loop pauses for ``pause`` before it reads on. So neither a call
/// and its answer nor an event that comes alone is ever held up.
struct ReadPacing {
  /// How many small reads make a stream.
  static let streak = 16
  /// The most bytes of a small read: a larger one has gathered enough.
  static let smallRead = 64 << 10
  /// The longest time between two reads of a stream; above what a pause takes.
  static let gap = Duration.microseconds(500)
  /// How long to pause.
  static let pause = Duration.microseconds(100)

  private var count = 0
  private var last: ContinuousClock.Instant?

  /// Bytes of a body were sent: their answer is waited for.
  mutating func sent() { count = 0 }

  /// So many bytes were read.
  ///
  /// - Returns: whether to pause before the next read.
  mutating func received(_ bytes: Int, at now: ContinuousClock.Instant) -> Bool {
    let isClose = last.map { now - $0 <= Self.gap } ?? false
    last = now
    count = isClose && bytes <= Self.smallRead ? count + 1 : 0
    return count >= Self.streak
  }
}
