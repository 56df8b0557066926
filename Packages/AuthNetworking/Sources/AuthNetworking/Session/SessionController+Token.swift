public import SessionModels
internal import Synchronization

extension SessionController {
  /// The access token: at once while it is fresh, else after the one refresh (R1, R11).
  ///
  /// While it is fresh there is no suspension, no system call and no decryption.
  ///
  /// - Throws: ``AuthError``: `notSignedIn`, `sessionEnded`, a temporary one, or `cancelled`.
  public func token() async throws(AuthError) -> AccessToken {
    let now = clock.monotonic()
    if let fresh = core.withLock({ $0.machine.freshToken(at: now) }) { return fresh.token }
    return try await authorisation().token
  }

  /// A newer token than one that a server refused, for protocols other than HTTP: the current one
  /// where it has changed (R7), else after one refresh.
  ///
  /// - Throws: ``AuthError``, as ``token()``; `rejected` when a refresh would change nothing. In
  ///   the opaque model the refusal of the token in use ends the session: `sessionEnded`.
  public func accessTokenWasRefused(
    _ token: AccessToken
  ) async throws(AuthError) -> AccessToken {
    guard let newer = try await replacement(of: token, generation: nil) else {
      throw AuthError(.rejected, "The server refuses this session's tokens", status: 401)
    }
    return newer.token
  }

  /// Refreshes now, or joins the refresh that is under way.
  ///
  /// - Throws: ``AuthError``, as ``token()``; `rejected` in the opaque model, which has no refresh.
  public func refresh() async throws(AuthError) {
    readStore()
    _ = try await wait { .refreshDemanded($0) }
  }

  /// What an app does at launch: reads the stored session and refreshes it where needed.
  ///
  /// - Returns: signed in and fresh; signed in and stale when the server could not be asked or
  ///   failed (R5); or signed out, and why.
  /// - Throws: ``AuthError``: `storage` when the store could not be read or written, `cancelled`.
  public func restore() async throws(AuthError) -> SessionState {
    readStore()
    switch state {
    case .signedOut: return state
    case .unknown:
      if case .failure(let error) = readRecord() { throw AuthError(error) }
      return state
    case .signedIn: break
    }
    return try await stateAfter { () async throws(AuthError) in _ = try await token() }
  }

  /// The state that comes of trying to have a fresh token: only a definitive answer ends a
  /// session (R5).
  func stateAfter(
    _ refreshing: () async throws(AuthError) -> Void
  ) async throws(AuthError) -> SessionState {
    do { try await refreshing() } catch {
      switch error.code {
      case .storage, .cancelled: throw error
      case .sessionEnded, .notSignedIn: return state
      default: return state.isSignedIn ? .signedIn(.stale) : state
      }
    }
    return state
  }
}

extension SessionController {
  /// A token and the generation that it belongs to.
  struct Authorisation: Sendable {
    var token: AccessToken
    var generation: UInt64
  }

  func authorisation() async throws(AuthError) -> Authorisation {
    let now = clock.monotonic()
    let (fresh, isRefreshing) = core.withLock { core in
      (core.machine.freshToken(at: now), core.machine.flight != nil)
    }
    if let fresh { return Authorisation(token: fresh.token, generation: fresh.generation) }
    // A refresh under way has read the store, or will, under its lock: a thousand who join it need
    // not.
    if !isRefreshing {
      readStore()
      try await waitOutPause()
    }
    guard case .token(let token, let generation) = try await wait({ .needsToken($0) }) else {
      throw AuthError(.server, "The refresh brought no new access token")
    }
    return Authorisation(token: token, generation: generation)
  }

  /// Another process was told to wait for a moment: a request does so rather than fail.
  ///
  /// A longer time is an error, with the time in it.
  private func waitOutPause() async throws(AuthError) {
    let now = clock.monotonic()
    let left = core.withLock { $0.machine.pauseOfOthers(at: now) }
    guard let left, left <= .seconds(2) else { return }
    do { try await clock.sleep(for: left) } catch {
      throw AuthError(.cancelled, "The request was cancelled")
    }
    readStore()
  }

  /// The token to replay a refused request with; nil where nothing would change.
  func replacement(
    of token: AccessToken,
    generation: UInt64?
  ) async throws(AuthError) -> Authorisation? {
    readStore()
    let grant = try await wait { .tokenRefused($0, token, generation: generation) }
    guard case .token(let token, let generation) = grant else { return nil }
    return Authorisation(token: token, generation: generation)
  }

  /// Waits for the machine's answer.
  ///
  /// Cancelling the task ends the wait, and only that (R10). `started` is told who waits, once the
  /// machine knows.
  func wait(
    _ event: (WaiterID) -> SessionEvent,
    _ started: (WaiterID) -> Void = { _ in }
  ) async throws(AuthError) -> WaiterGrant {
    let result = FirstResult<Result<WaiterGrant, AuthError>>()
    let waiter = core.withLock { core in
      core.waiterCount += 1
      let waiter = WaiterID(number: core.waiterCount)
      core.waiters[waiter] = result
      return waiter
    }
    feed(event(waiter))
    started(waiter)
    let answer = await withTaskCancellationHandler {
      await result.value
    } onCancel: {
      feed(.waiterCancelled(waiter))
    }
    return try answer.get()
  }
}
