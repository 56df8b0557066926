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
  public func logout() async -> LogoutOutcome {
    signOuts.add(1, ordering: .acquiringAndReleasing)
    let target = sessionToRevoke()
    feed(.signedOut(.userRequested))
    var outcome = LogoutOutcome(revoked: false)
    do { try await storage.wipe(reason: .userRequested) } catch {
      note(.error, "The stored session could not be removed: \(error)")
      outcome.storageError = error
    }
    readStore()
    guard let target else { return outcome }
    outcome.revoked = await revokeWithinDeadline(target)
    if !outcome.revoked { revokeLater(target, afterFailure: true) }
    return outcome
  }

  /// The newest tokens that are known: another process may have stored newer ones than we hold.
  private func sessionToRevoke() -> AuthInfo? {
    let (held, unsaved) = core.withLock { core in
      (core.machine.session, core.machine.unsavedRotation)
    }
    if let unsaved { return unsaved }
    guard let stored = try? readRecord().get().authInfo else { return held?.info }
    var info = stored
    info.session.accessToken = stored.session.accessToken ?? held?.accessToken
    return info
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

extension SessionMachine {
  /// The rotated session that could not be written yet: newer than what is stored.
  var unsavedRotation: AuthInfo? {
    if case .rotation(let commit) = unsaved { commit.orphan } else { nil }
  }
}
