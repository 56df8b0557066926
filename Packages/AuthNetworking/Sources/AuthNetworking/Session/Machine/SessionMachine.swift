internal import SecureStorage
internal import SessionModels

/// Decides everything about one stored session: events in, effects out.
///
/// A value without clock, I/O, lock or chance of its own, so that its rules (R1 to R12) are
/// proved by exploring every interleaving of its events. States and events are drawn in the
/// package's documentation.
struct SessionMachine: Sendable {
  /// What is known of the stored session.
  enum Held: Equatable, Sendable {
    /// Not read yet, or it could not be read and may come back (R14).
    case unknown(StorageError?)
    case signedOut(SignOutReason, generation: UInt64?)
    case signedIn(HeldSession)
  }

  /// What differs between uses of the machine.
  struct Policy: Hashable, Sendable {
    /// Never refresh and never end: for extensions that must not (R1).
    var isReadOnly = false
    /// Whether the access token is left out of what is stored.
    var keepsAccessTokenInMemory = false
    /// After how long in the background a token is replaced though it may still live.
    var longAbsence = Duration.seconds(14 * 60)
  }

  /// What was decided by the server and could not be written yet (R3).
  enum Unsaved: Equatable, Sendable {
    case rotation(RotationCommit)
    case end(SessionEnd)
  }

  let policy: Policy
  var held = Held.unknown(nil)
  var flight: Flight?
  var unsaved: Unsaved?
  /// The last access token that this process received, which the store may not have.
  var received: ReceivedToken?
  /// A session of which nothing is kept at rest, with the generation it was stored as.
  var volatile: (generation: UInt64, info: AuthInfo)?
  /// The generation that was signed out here: the store may say for a moment that it lives.
  var signedOutGeneration: UInt64?
  /// The access token that some request got an answer for.
  var acceptedToken: AccessToken?
  var clock: ServerClock
  var budget = RefreshBudget()
  var backoff: RefreshBackoff
  var backoffError: AuthError?
  /// What a server asked of any process, and until when on the monotonic clock.
  var storedPause: (pause: RefreshPause, until: Duration)?
  var flightCount = 0
  /// Flights that are over, and whose last step has not given the lock back yet.
  var lingering: Set<FlightID> = []
  /// Since when the app is in the background; nil while it is in front.
  var absence: Absence?
  /// Who waits until the app may be suspended.
  var leavers: [WaiterID] = []
  /// What observers were told last.
  private(set) var published = SessionState.unknown
  private var publishedGeneration: UInt64?
  /// What ``freshToken(at:)`` answers, laid out so that reading it copies nothing else.
  private var fresh: (token: AccessToken, generation: UInt64, until: Duration)?

  /// Whose the held session is, laid out likewise; nil while nobody is signed in.
  private(set) var owner: Owner?

  /// A session by its generation, and the backend that it belongs to.
  struct Owner: Equatable, Sendable {
    var generation: UInt64
    var baseURL: String
  }

  init(policy: Policy = Policy(), backoff: RefreshBackoff = RefreshBackoff(), at moment: Moment) {
    self.policy = policy
    self.backoff = backoff
    clock = ServerClock(at: moment)
  }

  /// The token to use, where nothing has to be decided: the fast path.
  func freshToken(at now: Duration) -> (token: AccessToken, generation: UInt64)? {
    guard let fresh, now < fresh.until else { return nil }
    return (fresh.token, fresh.generation)
  }

  /// The signed-in session, with what is kept in memory only.
  var session: HeldSession? {
    if case .signedIn(let session) = held { return session }
    return nil
  }

  /// Notes that the server took this token, which tells a bad token from a server that refuses
  /// everything.
  mutating func accepted(_ token: AccessToken) { acceptedToken = token }

  /// Forgets the time of another server, before that of a new one is learnt.
  mutating func forgetServerTime(at moment: Moment) {
    clock = ServerClock(at: moment)
    updateFreshness()
  }

  /// Learns from an answer what time it is on the server.
  mutating func learn(serverTime: Double, sent: Duration, received: Duration) {
    let before = clock
    clock.learn(server: serverTime, sent: sent, received: received)
    if clock != before { updateFreshness() }
  }

  /// Takes an event and says what to do about it, in order.
  mutating func handle(
    _ event: SessionEvent,
    at moment: Moment,
    chance: Chance
  ) -> [SessionEffect] {
    var run = Run(moment: moment, chance: chance)
    switch event {
    case .observed(.success(let record)): adopt(record, in: &run)
    case .observed(.failure(let error)): storeFailed(error, in: &run)
    case .needsToken(let waiter): needsToken(waiter, in: &run)
    case .tokenRefused(let waiter, let token, let generation):
      tokenRefused(waiter, token, generation: generation, in: &run)
    case .refreshDemanded(let waiter): refreshDemanded(waiter, in: &run)
    case .waiterCancelled(let waiter): cancel(waiter, in: &run)
    case .lockAcquired(let id): lockAcquired(id, in: &run)
    case .lockFailed(let id, let error): lockFailed(id, error, in: &run)
    case .prepared(let id, let plan, let result): prepared(id, plan, result, in: &run)
    case .answered(let id, let answer, let base): answered(id, answer, base: base, in: &run)
    case .paused(let id, let write, let result): paused(id, write, result, in: &run)
    case .committed(let id, let commit, let result): committed(id, commit, result, in: &run)
    case .ended(let id, let end, let result): ended(id, end, result, in: &run)
    case .retryDue: retryDue(in: &run)
    case .signedIn(let outcome, let token, let volatile):
      signedIn(outcome, token, volatile: volatile, in: &run)
    case .reauthenticated(let outcome, let token, let volatile):
      reauthenticated(outcome, token, volatile: volatile, in: &run)
    case .turnEnded(let id): lingering.remove(id)
    case .willResignActive(let waiter): willResignActive(waiter, in: &run)
    case .resignationDue(let waiter): resignationDue(waiter, in: &run)
    case .didBecomeActive(let waiter): didBecomeActive(waiter, in: &run)
    case .signedOut(let reason): signOut(reason, in: &run)
    }
    settleLeavers(in: &run)
    owner = session.map { Owner(generation: $0.generation, baseURL: $0.info.baseURL) }
    updateFreshness()
    publishIfChanged(in: &run)
    return run.effects
  }

  /// While a refused token is being replaced, nobody else is handed it.
  private mutating func updateFreshness() {
    guard case .signedIn(let session) = held, let token = session.accessToken,
      flight?.replacesRefusedToken != true
    else {
      fresh = nil
      return
    }
    let until =
      session.info.tokenModel == .opaque
      ? .seconds(Int64.max / 4) : session.life.freshUntil(by: clock)
    fresh = (token, session.generation, until)
  }

  private mutating func publishIfChanged(in run: inout Run) {
    var generation: UInt64?
    let state: SessionState
    switch held {
    case .unknown: state = .unknown
    case .signedOut(let reason, _): state = .signedOut(reason)
    case .signedIn(let session):
      state = .signedIn(session.isStale ? .stale : .fresh)
      generation = session.generation
    }
    // Another user's session is a change, even where it looks the same.
    guard state != published || generation != publishedGeneration else { return }
    published = state
    publishedGeneration = generation
    run.effects.append(.publish(state))
  }
}

extension SessionMachine {
  /// One event being handled: when it is, and what comes of it.
  struct Run {
    let moment: Moment
    let chance: Chance
    var effects: [SessionEffect] = []

    var now: Duration { moment.monotonic }
  }

  /// One run of the refresh (or of a session's end), and who waits for it.
  struct Flight: Equatable, Sendable {
    var id: FlightID
    var generation: UInt64
    /// The access token that was no longer good enough when the flight began.
    ///
    /// What is held may be a newer one by the time the lock is, and must not be spent then (R2).
    var replaces: AccessToken?
    var stage: Stage
    private(set) var waiters: [Waiter] = []
    /// How many of them know a token to be refused: counted, for a thousand may wait.
    private(set) var refusedCount = 0
    /// Whether the shell was told to stop waiting for the lock or the server.
    var isAbandoned = false
    /// The id that the token was sent under; empty before.
    var attemptID = ""
    /// What the refresh takes out of the budget.
    var forced: ForcedRefresh?
    /// Whether its attempt had been sent before, so that its answer may be an old one.
    var wasResent = false

    enum Stage: Hashable, Sendable {
      case locking, preparing, posting, resending, pausing, committing, ending
    }

    var replacesRefusedToken: Bool { refusedCount > 0 }

    mutating func add(_ waiter: Waiter) {
      waiters.append(waiter)
      if waiter.refused != nil { refusedCount += 1 }
    }

    /// Returns whether it was there.
    mutating func remove(_ waiter: WaiterID) -> Bool {
      guard let index = waiters.firstIndex(where: { $0.id == waiter }) else { return false }
      if waiters.remove(at: index).refused != nil { refusedCount -= 1 }
      return true
    }
  }

  /// A caller, and the token that it must not get again.
  struct Waiter: Equatable, Sendable {
    var id: WaiterID
    var refused: AccessToken?
    /// Whether a token that still lives is good enough when the refresh fails for now (R11).
    var acceptsLiveToken: Bool
  }
}
