internal import SessionModels

// The app goes to the background, and comes back.
extension SessionMachine {
  /// Begins nothing from here on, and tells the waiter once nothing is half done.
  ///
  /// What has not got the lock yet is given up at once. What was written ahead or sent goes on
  /// until it is durable, and what could not be written is tried once more.
  mutating func willResignActive(_ waiter: WaiterID, in run: inout Run) {
    if absence == nil { absence = Absence(since: run.now, token: session?.accessToken) }
    leavers.append(waiter)
    if flight?.stage == .locking, unsaved == nil { abandonFlight(in: &run) }
    if flight == nil, unsaved != nil, let session {
      startFlight(session, .locking, .acquireLock, in: &run)
    }
  }

  /// Lets somebody take the lock beside the refresh, until ``SessionEvent/turnEnded(_:)``; nil
  /// while the app is in the background.
  mutating func beginTurn() -> FlightID? {
    guard absence == nil else { return nil }
    flightCount += 1
    let id = FlightID(number: flightCount)
    lingering.insert(id)
    return id
  }

  /// The attempt stays open, durable and without an answer: what comes back resends it (R3).
  ///
  /// A write cannot be given up; where one still runs, the waiter is told that it does.
  mutating func resignationDue(_ waiter: WaiterID, in run: inout Run) {
    guard let index = leavers.firstIndex(of: waiter) else { return }
    switch flight?.stage {
    case .locking, .posting, .resending: abandonFlight(in: &run)
    case .preparing, .pausing, .committing, .ending, nil:
      leavers.remove(at: index)
      run.fail(waiter, AuthError(.timeout, "The session is still being written"))
    }
  }

  /// Refreshes where needed.
  ///
  /// That is what has expired, and after a long absence what nobody has replaced meanwhile. What
  /// failed before does not hold it up, unless the server asked for that.
  mutating func didBecomeActive(_ waiter: WaiterID, in run: inout Run) {
    let absence = absence
    self.absence = nil
    for leaver in leavers {
      run.fail(leaver, AuthError(.cancelled, "The app has come back to the front"))
    }
    leavers = []
    backoff.hurry()
    guard let session = signedInSession(for: waiter, in: &run) else { return }
    let wasLong =
      absence.map { run.now - $0.since > policy.longAbsence && $0.token == session.accessToken }
      ?? false
    let canRefresh =
      session.info.tokenModel == .accessRefresh && !policy.isReadOnly
      && session.refreshToken != nil
    guard canRefresh, wasLong || flight != nil || unsaved != nil else {
      return needsToken(waiter, in: &run)
    }
    if flight == nil, unsaved == nil, let error = refusal(at: run.now, isDemanded: false) {
      if let live = liveToken(at: run.now) { return run.grant(waiter, live, session) }
      return run.fail(waiter, error)
    }
    join(Waiter(id: waiter, acceptsLiveToken: true), session, in: &run)
  }

  /// Called after each event: a flight that has ended, and given its lock back, leaves nothing half done, unless what it
  /// brought could not be written.
  mutating func settleLeavers(in run: inout Run) {
    for case .unlock(let id) in run.effects { lingering.remove(id) }
    guard flight == nil, lingering.isEmpty, !leavers.isEmpty else { return }
    for leaver in leavers {
      if unsaved == nil {
        run.resume(leaver, .settled)
      } else {
        run.fail(leaver, backoffError ?? AuthError(.timeout, "The session could not be written"))
      }
    }
    leavers = []
  }

  private mutating func abandonFlight(in run: inout Run) {
    guard let flight, !flight.isAbandoned else { return }
    self.flight?.isAbandoned = true
    run.effects.append(.abandon(flight.id))
  }
}
