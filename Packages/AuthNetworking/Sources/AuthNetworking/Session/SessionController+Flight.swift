#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import SecureStorage
internal import SessionModels
internal import Synchronization

// One refresh, step by step, as the machine says.
extension SessionController {
  func carryOut(_ step: FlightStep, of flight: FlightID) async {
    switch step {
    case .acquireLock: await takeLock(for: flight)
    case .prepare(let plan):
      let result = await update { plan.change($0) }
      if case .failure(let error) = result {
        note(.error, "No refresh, since it cannot be written down: \(error)")
      }
      report(result) { .prepared(flight, plan, $0) }
    case .post(let token, let attemptID, let base):
      core.withLock { $0.attemptID = attemptID }
      note(.debug, "Refreshing", requestID: attemptID)
      let answer = await refreshAnswer(token, attemptID: attemptID, base: base, flight: flight)
      feed(.answered(flight, answer, base: base))
    case .pause(let write):
      let result = await update { write.change($0) }
      if case .failure(let error) = result {
        note(.error, "Other processes cannot be told to wait: \(error)", requestID: lastAttemptID)
      }
      report(result) { .paused(flight, write, $0) }
    case .commit(let commit):
      noteStoring("the refreshed session")
      let result = await updateTwice { commit.change($0) }
      noteTrouble(result.map { commit.isStored(in: $0) })
      report(result) { .committed(flight, commit, $0) }
    case .end(let end):
      noteStoring("the end of the session")
      let result = await update { end.change($0) }
      noteTrouble(result.map { end.isStored(in: $0) })
      report(result) { .ended(flight, end, $0) }
    }
  }

  private var lastAttemptID: String? { core.withLock { $0.attemptID } }

  /// Said before it is done: whoever waits may go on, and print, as soon as the store has it.
  private func noteStoring(_ what: String) {
    note(.debug, "Storing \(what)", requestID: core.withLock { $0.attemptID })
  }

  private func noteTrouble(_ isStored: Result<Bool, StorageError>) {
    let attemptID = core.withLock { $0.attemptID }
    switch isStored {
    case .success(true): break
    case .success(false):
      note(.info, "It came too late: another session is stored", requestID: attemptID)
    case .failure(let error):
      note(.error, "It cannot be stored yet: \(error)", requestID: attemptID)
    }
  }

  private func takeLock(for flight: FlightID) async {
    let taking = Task.detached { [lock, configuration] in
      do throws(RefreshLockError) {
        return Result<any HeldRefreshLock, RefreshLockError>.success(
          try await lock.acquire(timeout: configuration.refreshLockTimeout)
        )
      } catch { return .failure(error) }
    }
    // The app's going to the background may have come before there was anything to give up.
    letAbandon(flight, isNeedless: true) { taking.cancel() }
    let result = await taking.value
    core.withLock { _ = $0.abandons.removeValue(forKey: flight) }
    switch result {
    case .success(let held):
      core.withLock { $0.locks[flight] = held }
      feed(.lockAcquired(flight))
    case .failure(let error):
      note(.warning, "No refresh: \(error)")
      feed(.lockFailed(flight, AuthError(error)))
    }
  }

  /// Keeps how to stop waiting for a flight, and does so at once where that is wanted already.
  ///
  /// - Parameters:
  ///   - flight: which one.
  ///   - isNeedless: whether there is nothing to wait for once the flight is over.
  ///   - abandon: stops the wait.
  private func letAbandon(
    _ flight: FlightID,
    isNeedless: Bool = false,
    _ abandon: @escaping @Sendable () -> Void
  ) {
    let isWanted = core.withLock { core in
      guard core.machine.flight?.id == flight else { return isNeedless }
      if core.machine.flight?.isAbandoned == true { return true }
      core.abandons[flight] = abandon
      return false
    }
    if isWanted { abandon() }
  }

  /// Asks the server, within the refresh's own deadline and until a sign-out aborts it.
  private func refreshAnswer(
    _ token: Secret,
    attemptID: String,
    base: AuthInfo,
    flight: FlightID
  ) async -> RefreshAnswer {
    let first = FirstResult<RefreshAnswer>()
    let deadline = configuration.refreshTimeout
    let exchange = Task.detached { [self] in
      let answer = await presentToken(token, attemptID: attemptID, base: base)
      first.resolve(answer)
      return answer
    }
    let timer = Task.detached { [clock] in
      guard (try? await clock.sleep(for: deadline)) != nil else { return }
      first.resolve(
        .temporary(AuthError(.timeout, "The refresh was not answered", requestID: attemptID))
      )
      exchange.cancel()
    }
    let abort: @Sendable () -> Void = { [self] in
      first.resolve(.temporary(AuthError(.cancelled, "Signed out", requestID: attemptID)))
      revoke(abandoned: exchange, of: flight, base: base)
    }
    // A sign-out may have come before there was anything to abort.
    let isWanted = core.withLock { core in
      guard core.machine.flight?.id == flight else { return false }
      core.aborts[flight] = abort
      return true
    }
    if !isWanted { abort() }
    // Unlike after a sign-out, what is answered late is not revoked: it is asked for again.
    letAbandon(flight) {
      var left = AuthError.inBackground
      left.requestID = attemptID
      first.resolve(.temporary(left))
      exchange.cancel()
    }
    let answer = await first.value
    timer.cancel()
    return answer
  }

  /// What the server's clock shows, as far as is known.
  var serverDate: Date {
    let now = clock.monotonic()
    return Date(timeIntervalSince1970: core.withLock { $0.machine.clock.now(at: now) })
  }

  private func presentToken(
    _ token: Secret,
    attemptID: String,
    base: AuthInfo
  ) async -> RefreshAnswer {
    let call = configuration.dialect.refresh(token, device: base.deviceID)
    let response: HTTPResponse
    do {
      // The token belongs to the backend that issued it, whatever is configured by now (R8).
      response = try await exchange(
        call,
        session: base,
        requestID: attemptID,
        timeout: configuration.refreshTimeout
      )
    } catch {
      note(.warning, "The refresh failed: \(error)", requestID: attemptID)
      return .temporary(error.keepingSession)
    }
    let answer = configuration.dialect.refreshOutcome(from: response)
    let redactor = Redactor([token] + [base.session.accessToken?.secret].compactMap { $0 })
    switch answer {
    case .rotated:
      note(.info, "The session was refreshed", requestID: attemptID)
      return answer
    case .refused(let reason, var error):
      note(.warning, "The refresh was refused: \(reason)", requestID: attemptID)
      error.requestID = attemptID
      return .refused(reason, error.redacted(by: redactor))
    case .temporary(var error):
      error.requestID = attemptID
      error = error.redacted(by: redactor)
      note(.warning, "The refresh failed: \(error)", requestID: attemptID)
      return .temporary(error.keepingSession)
    }
  }
}

extension AuthError {
  /// The same failure as one of the refresh: a refusal that is not definitive is a server that
  /// does not do its job, not a request that it rejects (R5).
  fileprivate var keepingSession: AuthError {
    guard code == .rejected else { return self }
    var copy = self
    copy.code = .server
    return copy
  }
}
