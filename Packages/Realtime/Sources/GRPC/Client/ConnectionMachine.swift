/// Decides when a channel connects: a value without clock, lock or I/O.
struct ConnectionMachine {
  enum State: Equatable {
    case idle
    case connecting
    case ready(since: ContinuousClock.Instant)
    /// The app was suspended meanwhile: the connection may be dead, and is asked before its use.
    case doubtful
    /// It was asked.
    case probing
    case waiting(until: ContinuousClock.Instant)
    case shutDown
  }

  enum Effect: Equatable {
    /// Begin an attempt; a later ``connected(at:)`` or ``failed(at:chance:isWanted:)`` ends it.
    case connect
    /// Call ``backoffElapsed(at:isWanted:)`` at this time.
    case wake(at: ContinuousClock.Instant)
    /// Ask the present connection for a sign of life; ``answered()`` or an end follows.
    case probe
    /// Give the present connection or attempt up.
    case abandon
  }

  /// A connection that lasted so long is good, though nothing was asked of it.
  static let goodAfter = Duration.seconds(10)

  private(set) var state = State.idle
  private var backoff: Backoff
  private var isProved = false
  /// Whether a server said goodbye before it had proved to be good, and nothing good came since.
  private var wasDismissed = false

  init(backoff: Backoff = Backoff()) { self.backoff = backoff }

  /// A call needs a connection.
  mutating func wanted() -> [Effect] {
    switch state {
    case .idle:
      state = .connecting
      return [.connect]
    case .doubtful:
      state = .probing
      return [.probe]
    default: return []
    }
  }

  /// The attempt succeeded.
  mutating func connected(at now: ContinuousClock.Instant) {
    guard state == .connecting else { return }
    state = .ready(since: now)
    isProved = false
  }

  /// The connection carried an answer: it is good.
  mutating func proved() {
    switch state {
    case .ready, .doubtful, .probing: isProved = true
    default: return
    }
    wasDismissed = false
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
  /// failed attempt. A polite goodbye is no failure, unless it is all that the server ever says.
  ///
  /// - Parameters:
  ///   - now: the time.
  ///   - chance: 0 to 1, spreads the pauses.
  ///   - isWanted: whether somebody waits for a connection.
  ///   - isGoodbye: whether the server asked for another connection (GOAWAY).
  /// - Returns: what follows.
  mutating func ended(
    at now: ContinuousClock.Instant,
    chance: Double,
    isWanted: Bool,
    isGoodbye: Bool = false
  ) -> [Effect] {
    switch state {
    case .ready(let since):
      if isProved || now - since >= Self.goodAfter { break }
      guard isGoodbye, !wasDismissed else { return pause(at: now, chance: chance) }
      wasDismissed = true
      state = .idle
      return isWanted ? wanted() : []
    // What the sleep has killed says nothing about the server.
    case .doubtful, .probing: break
    default: return []
    }
    backoff.reset()
    state = .idle
    return isWanted ? wanted() : []
  }

  /// The connection was closed because nobody used it.
  mutating func idled(isWanted: Bool) -> [Effect] {
    switch state {
    case .ready, .doubtful, .probing: state = .idle
    default: return []
    }
    return isWanted ? wanted() : []
  }

  /// The app runs again after it was suspended: waiting is pointless, and what there was is in
  /// doubt.
  ///
  /// - Parameters:
  ///   - isWanted: whether somebody waits for a connection.
  ///   - isUsed: whether calls are open on the present one.
  /// - Returns: what follows.
  mutating func resumed(isWanted: Bool, isUsed: Bool) -> [Effect] {
    backoff.reset()
    switch state {
    case .idle, .shutDown, .probing: return []
    case .connecting:
      state = .idle
      return [.abandon] + (isWanted ? wanted() : [])
    case .waiting:
      state = .idle
      return isWanted ? wanted() : []
    case .ready, .doubtful:
      state = .doubtful
      return isWanted || isUsed ? wanted() : []
    }
  }

  /// The probe was answered: the connection may be used.
  mutating func answered(at now: ContinuousClock.Instant) {
    if state == .probing { state = .ready(since: now) }
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
    case .connecting, .ready, .doubtful, .probing:
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
