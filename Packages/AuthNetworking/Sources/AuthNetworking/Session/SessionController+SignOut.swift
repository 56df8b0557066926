internal import SecureStorage
internal import SessionModels
internal import Synchronization

extension SessionController {
  /// Signs out: locally in any case, also offline and with a locked vault (R4); then revokes on
  /// the server as far as it can be reached within the configured time.
  ///
  /// When it returns, no secret of the session is in the store or in this object, and nothing
  /// that was in flight can write one back. Where the server could not be reached, revoking is
  /// tried again while the process lives, from memory. Signed out already, it does nothing harmful.
  ///
  /// - Returns: whether the server confirmed, and why the store could not be cleared if so.
  public func logout() async -> LogoutOutcome { await signOut().outcome }

  /// ``logout()``, and whether there was anything to revoke.
  func signOut() async -> (outcome: LogoutOutcome, wasSignedIn: Bool) {
    signOuts.add(1, ordering: .acquiringAndReleasing)
    var ended = core.withLock { $0.machine.heldToTheEnd }
    ended.stored = try? readRecord().get()
    feed(.signedOut(.userRequested))
    var outcome = LogoutOutcome(revoked: false)
    do throws(StorageError) {
      // Another process may have refreshed or signed in since: what is removed is what is revoked.
      if let removed = try await storage.wipe(reason: .userRequested) { ended.stored = removed }
    } catch {
      note(.error, "The stored session could not be removed: \(error)")
      outcome.storageError = error
    }
    readStore()
    let targets = ended.toRevoke
    outcome.revoked = await revokeNow(targets)
    return (outcome, !targets.isEmpty)
  }

  /// Revokes as far as the server can be reached within the configured time, and tries again later
  /// what it did not confirm.
  ///
  /// - Returns: whether it confirmed all, and there was anything.
  private func revokeNow(_ targets: [AuthInfo]) async -> Bool {
    let revoking = targets.map { target in Task { await revokeWithinDeadline(target) } }
    var isConfirmed = !targets.isEmpty
    for (target, task) in zip(targets, revoking) where await !task.value {
      isConfirmed = false
      revokeLater(target, afterFailure: true)
    }
    return isConfirmed
  }

  private func revokeWithinDeadline(_ info: AuthInfo) async -> Bool {
    let first = FirstResult<Bool>()
    let deadline = configuration.logoutTimeout
    let exchange = Task.detached { [self] in first.resolve(await revoke(info) == .confirmed) }
    let timer = Task.detached { [clock] in
      guard (try? await clock.sleep(for: deadline)) != nil else { return }
      first.resolve(false)
    }
    let confirmed = await first.value
    exchange.cancel()
    timer.cancel()
    return confirmed
  }

  enum Revocation {
    case confirmed, refused, failed
  }

  func revoke(_ info: AuthInfo) async -> Revocation {
    let requestID = randomness.uuid()
    guard info.dialect == configuration.dialect.name else {
      // Trying again would change nothing: only whoever speaks it can.
      note(.warning, "A session of the dialect \(info.dialect) cannot be revoked from here")
      return .refused
    }
    let call = configuration.dialect.logout(
      refreshToken: info.session.refreshToken,
      device: info.deviceID
    )
    let answer: HTTPResponse
    do {
      answer = try await exchange(
        call,
        session: info,
        requestID: requestID,
        timeout: configuration.logoutTimeout
      )
    } catch {
      note(.warning, "The session could not be revoked: \(error)", requestID: requestID)
      return .failed
    }
    switch answer.status {
    case 200..<300: return .confirmed
    case 408, 429, 500...: return .failed
    default: return .refused
    }
  }
}
