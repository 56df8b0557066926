#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import SecureStorage
internal import SessionModels

// The refresh, stage by stage. Each handler first asks whether the flight is still wanted: what
// belongs to a session that is gone gives the lock back, and changes nothing (R4).
extension SessionMachine {
  mutating func lockAcquired(_ id: FlightID, in run: inout Run) {
    guard let flight, flight.id == id else { return run.unlock(id) }
    self.flight?.isAbandoned = false
    switch unsaved {
    case .rotation(let commit): move(to: .committing, .commit(commit), in: &run)
    case .end(let end): move(to: .ending, .end(end), in: &run)
    case nil where absence != nil: conclude(failure: .inBackground, in: &run)
    case nil:
      let plan = RefreshPlan(
        generation: flight.generation,
        knownAccessToken: flight.replaces,
        serverNow: clock.now(at: run.now),
        attemptID: run.chance.attemptID,
        wallNow: run.moment.wall,
        forced: flight.forced
      )
      move(to: .preparing, .prepare(plan), in: &run)
    }
  }

  /// R1: no lock, no refresh.
  mutating func lockFailed(_ id: FlightID, _ error: AuthError, in run: inout Run) {
    lingering.remove(id)
    guard let flight, flight.id == id else { return }
    conclude(failure: flight.isAbandoned ? .inBackground : error, in: &run)
  }

  mutating func prepared(
    _ id: FlightID,
    _ plan: RefreshPlan,
    _ result: Result<StoreOutcome, StorageError>,
    in run: inout Run
  ) {
    switch result {
    case .failure(let error):
      // R3: what cannot be made durable is not sent.
      guard flight?.id == id else { return run.unlock(id) }
      conclude(failure: AuthError(error), in: &run)
    case .success(let outcome):
      adopt(outcome.latest, in: &run)
      guard flight?.id == id else { return run.unlock(id) }
      switch plan.decision(on: outcome.written) {
      case .adopt, .gone: conclude(in: &run)
      case .paused(let pause, let left):
        conclude(failure: pause.error(left: left), in: &run)
      case .noRefreshToken:
        conclude(failure: .cannotRefresh(isReadOnly: false), in: &run)
      case .present(let token, let attemptID, let isResend):
        guard let base = outcome.written.authInfo else { return conclude(in: &run) }
        // Written ahead, and not sent: the next one resends it, or sends it for the first time.
        guard absence == nil else { return conclude(failure: .inBackground, in: &run) }
        self.flight?.attemptID = attemptID
        move(
          to: isResend ? .resending : .posting,
          .post(token, attemptID: attemptID, base: base),
          in: &run
        )
      }
    }
  }

  mutating func answered(
    _ id: FlightID,
    _ answer: RefreshAnswer,
    base: AuthInfo,
    in run: inout Run
  ) {
    guard let flight, flight.id == id, let presented = base.session.refreshToken else {
      run.unlock(id)
      if case .rotated(let access, let refresh, _) = answer {
        // Signed out in the meantime: what the server has just issued must not live on.
        var orphan = base
        orphan.session.accessToken = access
        orphan.session.refreshToken = refresh ?? base.session.refreshToken
        run.effects.append(.revoke(orphan))
      }
      return
    }
    switch answer {
    case .rotated(let access, let refresh, let expiresIn):
      // The answer to a resent attempt may be an old one.
      if !clock.isLearnt, flight.stage != .resending, let issued = access.issuedAt {
        clock.learn(server: issued.timeIntervalSince1970, sent: run.now, received: run.now)
      }
      let token = ReceivedToken(
        generation: flight.generation,
        token: access,
        expiresIn: expiresIn,
        from: flight.stage == .resending ? .resentRefresh : .refresh,
        clock: clock,
        at: run.moment
      )
      // The first answer again says that the server knows the id: what is late gets it too.
      let isOld =
        flight.stage == .resending
        && (access == flight.replaces || token.life.liveUntil(by: clock) <= run.now)
      let commit = RotationCommit(
        presented: presented,
        attemptID: flight.attemptID,
        received: token,
        refreshToken: refresh,
        answeredAt: isOld ? nil : clock.now(at: run.now),
        base: base,
        keepsAccessTokenInMemory: policy.keepsAccessTokenInMemory,
        serverClockOffset: clock.offset(at: run.moment),
        serverClockAnchor: clock.anchor(at: run.moment)
      )
      move(to: .committing, .commit(commit), in: &run)
    case .refused(let reason, let error):
      let reason = flight.stage == .resending ? reason.afterResend : reason
      let end = SessionEnd(
        generation: flight.generation,
        refused: presented,
        reason: reason,
        nextGeneration: run.chance.generation,
        error: .sessionEnded(
          reason,
          message: error.message,
          status: error.status,
          requestID: error.requestID
        )
      )
      move(to: .ending, .end(end), in: &run)
    case .temporary(let error):
      guard let pause = RefreshPause(after: error, at: run.moment.wall) else {
        return conclude(failure: error, in: &run)
      }
      let write = PauseWrite(
        generation: flight.generation,
        presented: presented,
        pause: pause,
        error: error
      )
      move(to: .pausing, .pause(write), in: &run)
    }
  }

  /// Where it could not be written, this process obeys all the same.
  mutating func paused(
    _ id: FlightID,
    _ write: PauseWrite,
    _ result: Result<StoreOutcome, StorageError>,
    in run: inout Run
  ) {
    if case .success(let outcome) = result { adopt(outcome.latest, in: &run) }
    guard flight?.id == id else { return run.unlock(id) }
    conclude(failure: write.error, in: &run)
  }

  mutating func committed(
    _ id: FlightID,
    _ commit: RotationCommit,
    _ result: Result<StoreOutcome, StorageError>,
    in run: inout Run
  ) {
    let isCurrent = flight?.id == id
    switch result {
    case .failure(let error):
      guard isCurrent else {
        run.unlock(id)
        return run.effects.append(.revoke(commit.orphan))
      }
      // R3: kept in memory and written later; nothing is refreshed until then.
      unsaved = .rotation(commit)
      conclude(failure: AuthError(error), in: &run)
      scheduleRetry(in: &run)
    case .success(let outcome):
      let isStored = commit.isStored(in: outcome.written)
      if isCurrent {
        unsaved = nil
        if isStored { received = commit.received }
      }
      if !isStored, outcome.written.generation != commit.received.generation {
        run.effects.append(.revoke(commit.orphan))
      }
      adopt(outcome.latest, in: &run)
      guard flight?.id == id else { return run.unlock(id) }
      conclude(in: &run)
    }
  }

  mutating func ended(
    _ id: FlightID,
    _ end: SessionEnd,
    _ result: Result<StoreOutcome, StorageError>,
    in run: inout Run
  ) {
    let isCurrent = flight?.id == id
    switch result {
    case .failure(let error):
      guard isCurrent else { return run.unlock(id) }
      unsaved = .end(end)
      conclude(failure: AuthError(error), in: &run)
      scheduleRetry(in: &run)
    case .success(let outcome):
      if isCurrent {
        unsaved = nil
        if end.isStored(in: outcome.written) { volatile = nil }
      }
      // Also where the flight is over: somebody may have signed in meanwhile.
      adopt(outcome.latest, endedBy: end, in: &run)
      guard flight?.id == id else { return run.unlock(id) }
      conclude(in: &run)
    }
  }

  mutating func retryDue(in run: inout Run) {
    guard unsaved != nil, flight == nil, let session else { return }
    startFlight(session, .locking, .acquireLock, in: &run)
  }

  /// The refresh is over and the session is what ``held`` says: everybody gets the token.
  private mutating func conclude(in run: inout Run) {
    guard let done = flight else { return }
    flight = nil
    run.unlock(done.id)
    backoff.succeed()
    backoffError = nil
    if done.wasResent, absence == nil, !done.waiters.isEmpty, let session,
      let token = session.accessToken, token == done.replaces || liveToken(at: run.now) == nil
    {
      // R11: the first answer again, whose token has expired meanwhile, or is the one to be
      // replaced. Another attempt brings a fresh one, and cannot come to this.
      startFlight(session, .locking, .acquireLock, in: &run)
      for waiter in done.waiters { flight?.add(waiter) }
      return
    }
    if case .signedIn(var session) = held {
      session.isStale = liveToken(at: run.now) == nil
      held = .signedIn(session)
    }
    let session = session
    for waiter in done.waiters {
      guard let session, let token = session.accessToken else {
        run.fail(waiter.id, AuthError(.server, "The refresh brought no access token"))
        continue
      }
      if token == waiter.refused, token != done.replaces, !policy.isReadOnly {
        // What was adopted is what this waiter knows to be refused: another round, for it alone.
        if flight == nil, absence != nil {
          run.fail(waiter.id, .inBackground)
          continue
        }
        if flight == nil { startFlight(session, .locking, .acquireLock, in: &run) }
        flight?.add(waiter)
      } else if token == waiter.refused {
        run.resume(waiter.id, .unchanged)
      } else {
        run.grant(waiter.id, token, session)
      }
    }
  }

  /// The refresh failed for now: the session stays, and who can do with the old token gets it.
  private mutating func conclude(failure error: AuthError, in run: inout Run) {
    guard let done = flight else { return }
    flight = nil
    run.unlock(done.id)
    if error.code == .suspended, absence == nil, !done.waiters.isEmpty, let session {
      // Given up for the background, from which the app has come back meanwhile.
      startFlight(session, .locking, .acquireLock, in: &run)
      flight?.replaces = done.replaces
      for waiter in done.waiters { flight?.add(waiter) }
      return
    }
    // Nothing has failed where the app went to the background.
    if error.code != .suspended {
      backoff.fail(retryAfter: error.retryAfter, at: run.now, jitter: run.chance.jitter)
      backoffError = error
    }
    let live = liveToken(at: run.now)
    if case .signedIn(var session) = held, live == nil || done.replacesRefusedToken {
      session.isStale = true
      held = .signedIn(session)
    }
    for waiter in done.waiters {
      if waiter.acceptsLiveToken, let live, let session {
        run.grant(waiter.id, live, session)
      } else {
        run.fail(waiter.id, error)
      }
    }
  }

  private mutating func scheduleRetry(in run: inout Run) {
    if let wait = backoff.wait(at: run.now, isDemanded: false) {
      run.effects.append(.wakeUp(after: wait))
    }
  }

  private mutating func move(to stage: Flight.Stage, _ step: FlightStep, in run: inout Run) {
    guard let id = flight?.id else { return }
    flight?.stage = stage
    if stage == .resending { flight?.wasResent = true }
    run.effects.append(.step(id, step))
  }
}

extension SessionMachine.Run {
  mutating func unlock(_ id: FlightID) { effects.append(.unlock(id)) }
}

extension SignOutReason {
  /// The reason when the refused token had been sent before without an answer: the server most
  /// likely rotated it then.
  ///
  /// What it says expressly about age or device stands.
  fileprivate var afterResend: SignOutReason {
    self == .refreshExpired || self == .deviceMismatch ? self : .interruptedRefresh
  }
}
