/// Decides when a connection pings its peer, when it takes it for dead, and when it is idle: a
/// value without clock, lock or I/O.
///
/// Pings go out after ``Limits/interval`` of silence while a stream is open, and whenever a
/// ``probe(at:)`` asks for one. A peer that leaves a ping unanswered for ``Limits/timeout``, with
/// no other sign of life either, is dead; a probe counts its own answer only, since bytes that
/// waited in the socket say nothing of the present.
struct KeepaliveMachine {
  struct Limits: Equatable {
    /// Silence before a ping, while a stream is open; nil never pings by itself.
    var interval: Duration?
    /// How long the answer to a ping may take.
    var timeout = Duration.seconds(10)
    /// How long the answer to a probe may take, for which somebody waits.
    var probeTimeout = Duration.seconds(5)
    /// How long a connection without streams is kept; nil keeps it for ever.
    var idleTimeout: Duration?
    /// How long a connection is kept that never had a stream; nil as ``idleTimeout``.
    var unusedTimeout: Duration?
  }

  enum Verdict: Equatable {
    /// Nothing is due.
    case fine
    /// Send a ping with this payload.
    case ping(UInt64)
    /// The peer does not answer any more.
    case dead
    /// Nobody has used the connection for long.
    case idle
  }

  private let limits: Limits
  private var lastSign: ContinuousClock.Instant
  /// Since when streams are open; nil while none is.
  private var busySince: ContinuousClock.Instant?
  /// Since when none is open.
  private var idleSince: ContinuousClock.Instant
  /// Whether any ever was.
  private var wasUsed = false
  private var ping: (payload: UInt64, sent: ContinuousClock.Instant)?
  private var probe: (payload: UInt64, sent: ContinuousClock.Instant)?
  private var lastPayload: UInt64 = 0
  private var isSuspended = false

  init(_ limits: Limits, at now: ContinuousClock.Instant) {
    self.limits = limits
    lastSign = now
    idleSince = now
  }

  /// Bytes came from the peer.
  ///
  /// - Returns: whether ``nextCheck`` may be earlier than it was, which is seldom.
  mutating func received(at now: ContinuousClock.Instant) -> Bool {
    lastSign = now
    guard ping != nil else { return false }
    ping = nil
    return true
  }

  /// Streams were opened or closed.
  mutating func streamsChanged(areOpen: Bool, at now: ContinuousClock.Instant) {
    if areOpen {
      wasUsed = true
      if busySince == nil { busySince = now }
    } else if busySince != nil {
      busySince = nil
      idleSince = now
    }
  }

  /// Asks for a sign of life now.
  ///
  /// - Returns: the payload of the ping to send; nil while an earlier probe waits.
  mutating func probe(at now: ContinuousClock.Instant) -> UInt64? {
    guard probe == nil else { return nil }
    let payload = nextPayload()
    probe = (payload, now)
    return payload
  }

  /// A ping was answered.
  ///
  /// - Returns: whether it is the answer to the probe.
  mutating func answered(_ payload: UInt64) -> Bool {
    guard probe?.payload == payload else { return false }
    probe = nil
    return true
  }

  /// The app is about to be suspended: no ping, for nobody would be there for its answer.
  mutating func suspend() {
    isSuspended = true
    ping = nil
    probe = nil
  }

  /// The app runs again: silence is counted from now on.
  mutating func resume(at now: ContinuousClock.Instant) {
    isSuspended = false
    ping = nil
    lastSign = max(lastSign, now)
    if busySince == nil { idleSince = max(idleSince, now) }
  }

  /// When to ``check(at:)`` next; nil when nothing can come due.
  var nextCheck: ContinuousClock.Instant? {
    guard !isSuspended else { return nil }
    var times: [ContinuousClock.Instant] = []
    if let probe { times.append(probe.sent + limits.probeTimeout) }
    if let ping {
      times.append(ping.sent + limits.timeout)
    } else if let interval = limits.interval, let busySince {
      times.append(max(lastSign, busySince) + interval)
    }
    let patience = wasUsed ? limits.idleTimeout : limits.unusedTimeout ?? limits.idleTimeout
    if busySince == nil, let patience { times.append(idleSince + patience) }
    return times.min()
  }

  /// What is due.
  mutating func check(at now: ContinuousClock.Instant) -> Verdict {
    guard let time = nextCheck, now >= time else { return .fine }
    if let probe, now >= probe.sent + limits.probeTimeout { return .dead }
    if let ping { return now >= ping.sent + limits.timeout ? .dead : .fine }
    guard busySince != nil else { return .idle }
    let payload = nextPayload()
    ping = (payload, now)
    return .ping(payload)
  }

  private mutating func nextPayload() -> UInt64 {
    lastPayload += 1
    return lastPayload
  }
}
