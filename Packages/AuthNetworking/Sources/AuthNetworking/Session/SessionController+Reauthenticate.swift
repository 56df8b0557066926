internal import SecureStorage
public import SessionModels
internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension SessionController {
  /// Has the server confirm the signed-in user's password, before something sensitive.
  ///
  /// Sends a login of its own, which never refreshes: a wrong password, and every other failure,
  /// leaves the session as it is. The tokens that come with the confirmation replace the stored
  /// ones as a whole, and the session that they supersede is revoked on the server as far as it
  /// can be reached. Nobody is signed out in between, and requests that are under way go on.
  ///
  /// - Parameters:
  ///   - password: the user's.
  ///   - identifier: what the user signs in with; nil takes it from the stored user, or asks the
  ///     backend who that is.
  /// - Returns: who is signed in, with `AuthInfo.authenticatedAt` as of now.
  /// - Throws: ``AuthError``: `invalidCredentials` for a wrong password, or another user's;
  ///   `invalidInput` where nobody knows the identifier; `notSignedIn`, also when the session was
  ///   ended meanwhile; `readOnly` where this process may not change the session; `suspended` in
  ///   the background; a temporary one; `storage`, after which the new tokens may be stored all the
  ///   same, as after ``login(_:)``.
  public func reauthenticate(
    password: Secret,
    identifier: String? = nil
  ) async throws(AuthError) -> AuthInfo {
    readStore()
    let session = try sessionToConfirm()
    let credentials = Credentials(
      identifier: try await confirmedIdentifier(identifier, of: session),
      password: password
    )
    let dialect = configuration.dialect
    do { try credentials.validate(identifierIsEmail: dialect.loginIdentifierIsEmail) } catch {
      throw AuthError(error, dialect: dialect)
    }
    let signOutsBefore = signOuts.load(ordering: .acquiring)
    let requestID = randomness.uuid()
    let response = try await exchange(
      dialect.login(credentials, device: session.info.deviceID),
      session: session.info,
      requestID: requestID,
      timeout: configuration.requestTimeout
    )
    let answer: SignInAnswer
    do { answer = try dialect.session(from: response, model: session.info.tokenModel) } catch {
      var error = error.redacted(by: Redactor([password]))
      error.requestID = requestID
      throw error
    }
    return try await replaceTokens(of: session, with: answer, signOutsBefore: signOutsBefore)
  }

  /// Whether the user gave a password for this session at most so long ago, by the server's clock.
  ///
  /// False where nobody is signed in or the instant is not known. Synchronous, without I/O.
  public func wasAuthenticated(within duration: Duration) -> Bool {
    guard let instant = authInfo?.authenticatedAt else { return false }
    let age = serverDate.timeIntervalSince(instant)
    // In the future by more than clocks differ: somebody has set one.
    return age >= -60 && age <= duration / .seconds(1)
  }

  private func sessionToConfirm() throws(AuthError) -> HeldSession {
    guard core.withLock({ $0.machine.absence }) == nil else { throw .inBackground }
    guard configuration.refreshPolicy != .readOnly else {
      throw AuthError(.readOnly, "This process may not change the session")
    }
    let held = core.withLock { $0.machine.held }
    switch held {
    case .signedIn(let session): return session
    case .signedOut(let reason, _): throw .notSignedIn(reason)
    case .unknown(let error): throw error.map { AuthError($0) } ?? .notReadYet
    }
  }

  private func confirmedIdentifier(
    _ given: String?,
    of session: HeldSession
  ) async throws(AuthError) -> String {
    if let given { return given }
    func identifier(of user: User?) -> String? {
      user?.email ?? (configuration.dialect.loginIdentifierIsEmail ? nil : user?.username)
    }
    if let known = identifier(of: session.info.user) { return known }
    if let known = identifier(of: try await currentUser()) { return known }
    throw AuthError(.invalidInput, "The backend does not say what the user signs in with: name it")
  }

  private func replaceTokens(
    of session: HeldSession,
    with answer: SignInAnswer,
    signOutsBefore: Int
  ) async throws(AuthError) -> AuthInfo {
    let received = received(answer, for: session.generation)
    let info = confirmed(session.info, by: answer, received.token)
    guard answer.session.userID == session.info.session.userID else {
      revokeLater(info)
      throw AuthError(.invalidCredentials, "These are another user's name and password")
    }
    let keepsInMemory = configuration.accessTokenStorage == .memory
    let isVolatile = keepsInMemory && info.tokenModel == .opaque
    let stored = isVolatile ? nil : keepsInMemory ? info.withoutAccessToken : info
    let replaced = ReplacedSession()
    // R4: whoever signed out or in meanwhile wins.
    let change: @Sendable (SessionRecord) -> SessionRecord? = { [self] record in
      // A first commit that failed has stored it all the same.
      if replaced.isNoted, record.generation == session.generation, record.authInfo == stored {
        return record
      }
      guard signOuts.load(ordering: .acquiring) == signOutsBefore,
        record.generation == session.generation, (record.authInfo == nil) == isVolatile
      else { return nil }
      replaced.note(record.authInfo)
      var copy = record
      copy.authInfo = stored
      copy.attempt = nil
      copy.forcedRefreshes = nil
      copy.serverClockOffset = received.clockOffset ?? record.serverClockOffset
      copy.serverClockAnchor = received.clockAnchor ?? record.serverClockAnchor
      return copy
    }
    let result: Result<SessionRecord, StorageError>
    do throws(AuthError) { result = try await updateInTurn(change) } catch {
      revokeLater(info)
      throw error
    }
    // Else the store was not even read, or would not have held it.
    let mayBeStored = replaced.isNoted && !isVolatile
    let found = mayBeStored ? found(after: result) : result
    let isStored = replaced.isNoted && (try? found.get()).map { $0.authInfo == stored } ?? false
    report(isStored ? found : result) { result in
      guard isStored, case .success(let outcome) = result else {
        return .observed(result.map(\.latest))
      }
      return .reauthenticated(outcome, received.token, volatile: isVolatile ? info : nil)
    }
    if case .failure(let error) = result {
      let succession = SessionSuccession(
        oldGeneration: session.generation,
        old: replaced.info ?? session.info,
        newGeneration: session.generation,
        new: info
      )
      guard mayBeStored else { throw refusal(of: info, by: error) }
      try settle(succession, isShown: isStored, after: error, signOutsBefore: signOutsBefore)
      return info
    }
    guard isStored, signOuts.load(ordering: .acquiring) == signOutsBefore else {
      revokeLater(info)
      throw .sessionChanged
    }
    revokeLater(replaced.info ?? session.info)
    note(.info, "The user was authenticated again")
    return info
  }

  /// R1: a refresh that is under way rotates what is being replaced, and is waited for.
  private func updateInTurn(
    _ change: @escaping @Sendable (SessionRecord) -> SessionRecord?
  ) async throws(AuthError) -> Result<SessionRecord, StorageError> {
    guard let turn = core.withLock({ $0.machine.beginTurn() }) else { throw .inBackground }
    defer { feed(.turnEnded(turn)) }
    do {
      let held = try await lock.acquire(timeout: configuration.refreshLockTimeout)
      defer { held.release() }
      return await updateTwice(change)
    } catch { throw AuthError(error) }
  }

  /// What is stored from now on: the new tokens, and of the rest what the answer leaves open.
  private func confirmed(
    _ old: AuthInfo,
    by answer: SignInAnswer,
    _ received: ReceivedToken?
  ) -> AuthInfo {
    var info = old
    info.session = answer.session
    info.session.identitySeed = answer.session.identitySeed ?? old.session.identitySeed
    info.user = answer.user ?? old.user
    info.authenticatedAt = serverDate
    return received?.overlay(info) ?? info
  }
}
