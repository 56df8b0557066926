internal import SecureStorage
internal import SessionModels

// What callers ask for.
extension SessionMachine {
  mutating func needsToken(_ waiter: WaiterID, in run: inout Run) {
    guard let session = signedInSession(for: waiter, in: &run) else { return }
    if let fresh = freshToken(at: run.now) {
      return run.grant(waiter, fresh.token, session)
    }
    let live = liveToken(at: run.now)
    guard session.info.tokenModel == .accessRefresh, !policy.isReadOnly,
      session.refreshToken != nil
    else {
      if let live { return run.grant(waiter, live, session) }
      return run.fail(waiter, .cannotRefresh(isReadOnly: policy.isReadOnly))
    }
    if flight == nil, let error = refusal(at: run.now, isDemanded: false) {
      if let live { return run.grant(waiter, live, session) }
      return run.fail(waiter, error)
    }
    join(Waiter(id: waiter, acceptsLiveToken: true), session, in: &run)
  }

  mutating func tokenRefused(
    _ waiter: WaiterID,
    _ token: AccessToken,
    generation: UInt64?,
    in run: inout Run
  ) {
    guard let session = signedInSession(for: waiter, in: &run) else { return }
    // A request of one user is never replayed with another user's token.
    guard generation == nil || generation == session.generation,
      token.subject == nil || session.accessToken?.subject ?? token.subject == token.subject
    else {
      return run.fail(waiter, .sessionChanged)
    }
    if let current = session.accessToken, current != token, flight?.replacesRefusedToken != true,
      session.info.tokenModel == .opaque || run.now < session.life.liveUntil(by: clock)
    {
      // R7: somebody else has refreshed since the request left.
      return run.grant(waiter, current, session)
    }
    guard !policy.isReadOnly else { return run.resume(waiter, .unchanged) }
    if session.info.tokenModel == .opaque {
      return endOpaqueSession(waiter, token, session, in: &run)
    }
    guard session.refreshToken != nil else { return run.resume(waiter, .unchanged) }
    guard flight == nil else {
      return join(Waiter(id: waiter, refused: token, acceptsLiveToken: false), session, in: &run)
    }
    if let error = refusal(at: run.now, isDemanded: false) { return run.fail(waiter, error) }
    var forced: ForcedRefresh?
    if run.now < session.life.liveUntil(by: clock) {
      forced = budget.spend(isFruitless: acceptedToken != token, at: run.moment)
      if forced == nil { return run.resume(waiter, .unchanged) }
    }
    join(Waiter(id: waiter, refused: token, acceptsLiveToken: false), session, in: &run)
    flight?.forced = forced
  }

  mutating func refreshDemanded(_ waiter: WaiterID, in run: inout Run) {
    guard let session = signedInSession(for: waiter, in: &run) else { return }
    guard session.info.tokenModel == .accessRefresh, !policy.isReadOnly,
      session.refreshToken != nil
    else {
      return run.fail(waiter, .cannotRefresh(isReadOnly: policy.isReadOnly))
    }
    if flight == nil, let error = refusal(at: run.now, isDemanded: true) {
      return run.fail(waiter, error)
    }
    join(Waiter(id: waiter, acceptsLiveToken: false), session, in: &run)
  }

  /// R10: ends the waiter, never the refresh.
  mutating func cancel(_ waiter: WaiterID, in run: inout Run) {
    if let index = leavers.firstIndex(of: waiter) {
      leavers.remove(at: index)
      return run.fail(waiter, AuthError(.cancelled, "The wait was cancelled"))
    }
    guard flight?.remove(waiter) == true else { return }
    run.fail(waiter, AuthError(.cancelled, "The request was cancelled"))
  }

  /// Why no refresh may start yet: the last one failed, or the server has told some process to
  /// leave it alone; nil when one may.
  func refusal(at now: Duration, isDemanded: Bool) -> AuthError? {
    if let wait = backoff.wait(at: now, isDemanded: isDemanded) {
      var error =
        backoffError ?? AuthError(.server, "The session could not be refreshed just now")
      error.retryAfter = error.retryAfter == nil ? nil : wait
      return error
    }
    guard let storedPause, now < storedPause.until else { return nil }
    return storedPause.pause.error(left: storedPause.until - now)
  }

  /// How long a request that cannot do without a refresh would have to wait for what the server
  /// has told another process; nil where it need not, or this process was told itself.
  func pauseOfOthers(at now: Duration) -> Duration? {
    guard session != nil, flight == nil, freshToken(at: now) == nil, liveToken(at: now) == nil,
      backoff.wait(at: now, isDemanded: true) == nil, let storedPause, now < storedPause.until
    else { return nil }
    return storedPause.until - now
  }

  /// The access token as long as the server should accept it.
  func liveToken(at now: Duration) -> AccessToken? {
    guard let session, let token = session.accessToken,
      session.info.tokenModel == .opaque || now < session.life.liveUntil(by: clock)
    else { return nil }
    return token
  }

  mutating func join(_ waiter: Waiter, _ session: HeldSession, in run: inout Run) {
    if flight == nil, absence != nil {
      // What is begun now could be frozen half done, with the lock held.
      if waiter.acceptsLiveToken, let live = liveToken(at: run.now) {
        return run.grant(waiter.id, live, session)
      }
      return run.fail(waiter.id, .inBackground)
    }
    if flight == nil { startFlight(session, .locking, .acquireLock, in: &run) }
    if flight?.stage == .locking, waiter.refused == session.accessToken {
      flight?.replaces = session.accessToken
    }
    flight?.add(waiter)
  }

  mutating func startFlight(
    _ session: HeldSession,
    _ stage: Flight.Stage,
    _ step: FlightStep,
    in run: inout Run
  ) {
    flightCount += 1
    let id = FlightID(number: flightCount)
    flight = Flight(
      id: id,
      generation: session.generation,
      replaces: session.accessToken,
      stage: stage
    )
    run.effects.append(.step(id, step))
  }

  func signedInSession(for waiter: WaiterID, in run: inout Run) -> HeldSession? {
    switch held {
    case .signedIn(let session): return session
    case .signedOut(let reason, _): run.fail(waiter, .notSignedIn(reason))
    case .unknown(let error): run.fail(waiter, error.map { AuthError($0) } ?? .notReadYet)
    }
    return nil
  }

  /// In the opaque model there is no refresh: a 401 to the token in use is the end.
  private mutating func endOpaqueSession(
    _ waiter: WaiterID,
    _ token: AccessToken,
    _ session: HeldSession,
    in run: inout Run
  ) {
    if flight == nil {
      let end = SessionEnd(
        generation: session.generation,
        refused: token.secret,
        reason: .revoked,
        nextGeneration: run.chance.generation,
        isVolatile: volatile != nil,
        error: .sessionEnded(.revoked, status: 401)
      )
      startFlight(session, .ending, .end(end), in: &run)
    }
    flight?.add(Waiter(id: waiter, refused: token, acceptsLiveToken: false))
  }
}

extension SessionMachine.Run {
  mutating func resume(_ waiter: WaiterID, _ grant: WaiterGrant) {
    effects.append(.resume(waiter, .success(grant)))
  }

  mutating func grant(_ waiter: WaiterID, _ token: AccessToken, _ session: HeldSession) {
    resume(waiter, .token(token, generation: session.generation))
  }

  mutating func fail(_ waiter: WaiterID, _ error: AuthError) {
    effects.append(.resume(waiter, .failure(error)))
  }
}

extension AuthError {
  static let inBackground = AuthError(
    .suspended,
    "The app is in the background: the session is refreshed when it comes to the front"
  )

  static let notReadYet = AuthError(.notSignedIn, "The stored session has not been read yet")

  static let sessionChanged = AuthError(
    .notSignedIn,
    "Another session was signed in while the request was under way"
  )

  static func notSignedIn(_ reason: SignOutReason) -> AuthError {
    let why =
      reason == .never || reason == .userRequested ? "" : ": the last session ended (\(reason))"
    return AuthError(.notSignedIn, "Nobody is signed in\(why)", signOutReason: reason)
  }

  static func cannotRefresh(isReadOnly: Bool) -> AuthError {
    isReadOnly
      ? AuthError(.readOnly, "The access token has expired, and this process may not refresh it")
      : AuthError(.rejected, "This session has no refresh token")
  }
}
