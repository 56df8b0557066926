/// Decides when a channel connects: a value without clock, lock or I/O.
struct ConnectionMachine {
  enum State: Equatable {
    case idle
    case connecting
    case ready(since: ContinuousClock.Instant)
    case waiting(until: ContinuousClock.Instant)
    case shutDown
  }

  enum Effect: Equatable {
    /// Begin an attempt; a later ``connected(at:)`` or ``failed(at:chance:isWanted:)`` ends it.
    case connect
    /// Call ``backoffElapsed(at:isWanted:)`` at this time.
    case wake(at: ContinuousClock.Instant)
    /// Give the present connection or attempt up.
    case abandon
  }

  /// A connection that lasted so long is good, though nothing was asked of it.
  static let goodAfter = Duration.seconds(10)

  private(set) var state = State.idle
  private var backoff: Backoff
  private var isProved = false

  init(backoff: Backoff = Backoff()) { self.backoff = backoff }

  /// A call needs a connection.
  mutating func wanted() -> [Effect] {
    guard state == .idle else { return [] }
    state = .connecting
    return [.connect]
  }

  /// The attempt succeeded.
  mutating func connected(at now: ContinuousClock.Instant) {
    guard state == .connecting else { return }
    state = .ready(since: now)
    isProved = false
  }

  /// The connection carried an answer: it is good.
  mutating func proved() {
    guard case .ready = state else { return }
    isProved = true
    backoff.reset()
  }

  /// The attempt failed.
  mutating func failed(at now: ContinuousClock.Instant, chance: Double) -> [Effect] {
    guard state == .connecting else { return [] }
    return pause(at: now, chance: chance)
  }

  /// The connection broke, or takes no new calls.
  ///
  /// A good one is replaced at once when one is wanted; one that never did anything counts as a
  /// failed attempt.
  mutating func ended(
    at now: ContinuousClock.Instant,
    chance: Double,
    isWanted: Bool
  ) -> [Effect] {
    guard case .ready(let since) = state else { return [] }
    guard isProved || now - since >= Self.goodAfter else { return pause(at: now, chance: chance) }
    backoff.reset()
    state = .idle
    return isWanted ? wanted() : []
  }

  /// The time of ``Effect/wake(at:)`` has come.
  mutating func backoffElapsed(at now: ContinuousClock.Instant, isWanted: Bool) -> [Effect] {
    guard case .waiting(let until) = state, now >= until else { return [] }
    state = .idle
    return isWanted ? wanted() : []
  }

  /// The device has another network: what there was is dead, and waiting is pointless.
  mutating func networkChanged(isWanted: Bool) -> [Effect] {
    backoff.reset()
    switch state {
    case .idle, .shutDown: return []
    case .connecting, .ready:
      state = .idle
      return [.abandon] + (isWanted ? wanted() : [])
    case .waiting:
      state = .idle
      return isWanted ? wanted() : []
    }
  }

  /// The end.
  mutating func shutDown() -> [Effect] {
    guard state != .shutDown else { return [] }
    state = .shutDown
    return [.abandon]
  }

  private mutating func pause(at now: ContinuousClock.Instant, chance: Double) -> [Effect] {
    let until = now + backoff.next(chance: chance)
    state = .waiting(until: until)
    return [.wake(at: until)]
  }
}
