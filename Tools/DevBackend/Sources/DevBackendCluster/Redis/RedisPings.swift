/// Whether a silent server is asked if it lives, or is given up: pure.
struct RedisPings: Sendable {
  /// So long a server may be silent before it is asked.
  static let patience: Duration = .seconds(1)
  /// So long it may take to answer.
  static let limit: Duration = .seconds(3)

  enum Step: Equatable, Sendable {
    case wait
    case ping
    case lost
  }

  private var heardAt: ContinuousClock.Instant
  private var askedAt: ContinuousClock.Instant?

  init(at instant: ContinuousClock.Instant = .now) { heardAt = instant }

  /// The server said something, whatever it was.
  mutating func heard(at instant: ContinuousClock.Instant) {
    heardAt = instant
    askedAt = nil
  }

  /// What to do now.
  mutating func next(at instant: ContinuousClock.Instant) -> Step {
    if let askedAt { return askedAt.duration(to: instant) < Self.limit ? .wait : .lost }
    guard heardAt.duration(to: instant) >= Self.patience else { return .wait }
    askedAt = instant
    return .ping
  }
}
