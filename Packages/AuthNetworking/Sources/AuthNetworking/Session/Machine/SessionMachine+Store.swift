internal import SecureStorage
internal import SessionModels

// What the store says, and what sign-in and sign-out make of it.
extension SessionMachine {
  /// Takes over what is stored.
  ///
  /// A flight of a session that is no longer there is over.
  mutating func adopt(
    _ record: SessionRecord,
    endedBy end: SessionEnd? = nil,
    in run: inout Run
  ) {
    clock.restore(from: record, at: run.moment)
    budget.adopt(record.forcedRefreshes, at: run.moment)
    adoptPause(of: record, in: run)
    if let volatile, volatile.generation != record.generation { self.volatile = nil }
    guard let info = volatile?.info ?? record.authInfo else {
      let reason = record.signOutReason
      held = .signedOut(reason, generation: record.generation)
      received = nil
      acceptedToken = nil
      let error = end.flatMap { $0.isStored(in: record) ? $0.error : nil }
      return dropFlight(error ?? .ended(reason), unless: nil, in: &run)
    }
    // The wipe is on its way: what is read until then does not sign anybody in again.
    guard record.generation != signedOutGeneration else { return }
    hold(info, generation: record.generation, at: run.now)
    dropFlight(.sessionChanged, unless: record.generation, in: &run)
  }

  private mutating func adoptPause(of record: SessionRecord, in run: Run) {
    storedPause = nil
    guard let attempt = record.attempt, let pause = attempt.pause,
      let token = record.authInfo?.session.refreshToken,
      attempt.fingerprint == SecretFingerprint(of: token),
      let left = pause.left(at: run.moment.wall)
    else { return }
    storedPause = (pause, run.now + left)
  }

  private mutating func hold(_ stored: AuthInfo, generation: UInt64, at now: Duration) {
    var info = stored
    var life = TokenLife(stored: stored)
    if received?.generation != generation { received = nil }
    if let received,
      stored.session.accessToken == nil || stored.session.accessToken == received.token
    {
      info = received.overlay(stored)
      life = received.life
    }
    let previous = session
    var isStale =
      info.session.accessToken == nil
      || (info.tokenModel == .accessRefresh && now >= life.liveUntil(by: clock))
    if let previous, previous.generation == generation,
      previous.accessToken == info.session.accessToken
    {
      isStale = previous.isStale
    }
    held = .signedIn(
      HeldSession(generation: generation, info: info, life: life, isStale: isStale)
    )
  }

  /// Ends the flight, and forgets what could not be written, of every other generation.
  private mutating func dropFlight(
    _ error: AuthError,
    unless generation: UInt64?,
    in run: inout Run
  ) {
    if case .rotation(let commit) = unsaved, commit.received.generation != generation {
      unsaved = nil
      run.effects.append(.revoke(commit.orphan))
    } else if case .end(let end) = unsaved, end.generation != generation {
      unsaved = nil
    }
    guard let dead = flight, dead.generation != generation else { return }
    flight = nil
    lingering.insert(dead.id)
    run.effects.append(dead.stage == .locking ? .abandon(dead.id) : .abort(dead.id))
    for waiter in dead.waiters { run.fail(waiter.id, error) }
  }

  /// R14: what may come back keeps everything; what is gone for good signs out.
  mutating func storeFailed(_ error: StorageError, in run: inout Run) {
    switch error.code {
    case .keyLost: lose(.keyLost, in: &run)
    case .tampered: lose(.tampered, in: &run)
    default:
      if session == nil, signedOutGeneration == nil { held = .unknown(error) }
    }
  }

  private mutating func lose(_ reason: SignOutReason, in run: inout Run) {
    held = .signedOut(reason, generation: nil)
    received = nil
    acceptedToken = nil
    volatile = nil
    dropFlight(.ended(reason), unless: nil, in: &run)
  }

  mutating func signedIn(
    _ outcome: StoreOutcome,
    _ token: ReceivedToken?,
    volatile: AuthInfo?,
    in run: inout Run
  ) {
    received = token
    if let volatile { self.volatile = (outcome.written.generation, volatile) }
    signedOutGeneration = nil
    acceptedToken = nil
    budget = RefreshBudget()
    backoff.succeed()
    backoffError = nil
    adopt(outcome.latest, in: &run)
  }

  /// Takes over new tokens of the same session, unless it was signed out meanwhile (R4).
  mutating func reauthenticated(
    _ outcome: StoreOutcome,
    _ token: ReceivedToken?,
    volatile: AuthInfo?,
    in run: inout Run
  ) {
    if session?.generation == outcome.written.generation {
      received = token
      if let volatile { self.volatile = (outcome.written.generation, volatile) }
      acceptedToken = nil
      budget = RefreshBudget()
      backoff.succeed()
      backoffError = nil
      // What could not be written yet is of the tokens that were replaced.
      unsaved = nil
    }
    adopt(outcome.latest, in: &run)
  }

  /// R4: wins over everything in flight.
  ///
  /// The shell wipes the store and revokes.
  mutating func signOut(_ reason: SignOutReason, in run: inout Run) {
    if let session { signedOutGeneration = session.generation }
    if case .rotation = unsaved { unsaved = nil }
    lose(reason, in: &run)
  }
}

extension AuthError {
  /// The error for who was waiting when the session went.
  fileprivate static func ended(_ reason: SignOutReason) -> AuthError {
    reason == .userRequested || reason == .never ? .notSignedIn(reason) : .sessionEnded(reason)
  }
}
