#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import SecureStorage
public import SessionModels
internal import Synchronization

extension SessionController {
  /// Signs in.
  ///
  /// A session that is stored already stays untouched until the new one is stored.
  ///
  /// - Throws: ``AuthError``: `invalidInput` before the network is asked, `invalidCredentials`, a
  ///   temporary one, `storage`. Nothing is stored then, but after `storage` perhaps: where the disk
  ///   failed over the commit itself, the store shows later which session it has, and neither is
  ///   revoked before.
  public func login(_ credentials: Credentials) async throws(AuthError) -> AuthInfo {
    let dialect = configuration.dialect
    do { try credentials.validate(identifierIsEmail: dialect.loginIdentifierIsEmail) } catch {
      throw AuthError(error, dialect: dialect)
    }
    return try await signIn(
      dialect.login(credentials, device: configuration.deviceID),
      password: credentials.password
    )
  }

  /// Makes an account and signs in.
  ///
  /// - Throws: ``AuthError``, as ``login(_:)``; `rejected` with fields for what is taken.
  public func register(_ registration: Registration) async throws(AuthError) -> AuthInfo {
    let dialect = configuration.dialect
    let days = (clock.wall() / 86_400).rounded(.down)
    let today = CalendarDate(daysSinceEpoch: Int(exactly: days) ?? 0)
    do { try registration.validate(rules: dialect.registrationRules, today: today) } catch {
      throw AuthError(error, dialect: dialect)
    }
    return try await signIn(
      dialect.register(registration, device: configuration.deviceID),
      password: registration.password
    )
  }

  private func signIn(_ call: APICall, password: Secret) async throws(AuthError) -> AuthInfo {
    let before = try recordBeforeSignIn()
    let signOutsBefore = signOuts.load(ordering: .acquiring)
    let requestID = randomness.uuid()
    let response = try await exchange(
      call,
      session: nil,
      requestID: requestID,
      timeout: configuration.requestTimeout
    )
    learnTime(of: response)
    let answer: SignInAnswer
    do {
      answer = try configuration.dialect.session(from: response, model: configuration.tokenModel)
    } catch {
      var error = error.redacted(by: Redactor([password]))
      error.requestID = requestID
      throw error
    }
    return try await store(answer, over: before, signOutsBefore: signOutsBefore)
  }

  /// The clock that was learnt so far is another server's where the stored session is.
  private func learnTime(of response: HTTPResponse) {
    guard let origin = sessionOrigin, origin != configuration.baseURL.origin else { return }
    let moment = clock.moment
    core.withLock { core in
      core.machine.forgetServerTime(at: moment)
      guard let seconds = response.serverDate?.timeIntervalSince1970 else { return }
      core.machine.learn(serverTime: seconds, sent: moment.monotonic, received: moment.monotonic)
    }
  }

  /// What is stored before a sign-in; nil where it cannot be read any more and will be replaced.
  private func recordBeforeSignIn() throws(AuthError) -> SessionRecord? {
    switch readRecord() {
    case .success(let record): return record
    case .failure(let error):
      switch error.code {
      case .keyLost, .tampered, .damaged: return nil
      default: throw AuthError(error)
      }
    }
  }

  private func store(
    _ answer: SignInAnswer,
    over before: SessionRecord?,
    signOutsBefore: Int
  ) async throws(AuthError) -> AuthInfo {
    let generation = randomness.generation()
    let received = received(answer, for: generation)
    let info = authInfo(of: answer, received: received.token)
    let keepsInMemory = configuration.accessTokenStorage == .memory
    let isVolatile = keepsInMemory && configuration.tokenModel == .opaque
    let record = SessionRecord(
      generation: generation,
      authInfo: isVolatile ? nil : keepsInMemory ? info.withoutAccessToken : info,
      signOutReason: .never,
      serverClockOffset: received.clockOffset,
      serverClockAnchor: received.clockAnchor
    )
    // R4: a sign-out, or another sign-in, that came in the meantime wins.
    let replaced = ReplacedSession()
    let change: @Sendable (SessionRecord) -> SessionRecord? = { [self] stored in
      // A first commit that failed has stored it all the same.
      if stored.generation == generation { return stored }
      guard signOuts.load(ordering: .acquiring) == signOutsBefore,
        before.map({ $0.generation == stored.generation }) ?? true
      else { return nil }
      replaced.note(stored.authInfo)
      return record
    }
    let superseded = core.withLock { $0.machine.session }
    if before == nil {
      do throws(AuthError) { try await clearUnreadable() } catch {
        revokeLater(info)
        throw error
      }
    }
    let result = await updateTwice(change)
    // Else the store was not even read, or would not have held it.
    let mayBeStored = replaced.isNoted && !isVolatile
    let stored = mayBeStored ? found(after: result) : result
    let isStored = (try? stored.get().generation) == generation
    report(isStored ? stored : result) { result in
      guard isStored, case .success(let outcome) = result else {
        return .observed(result.map(\.latest))
      }
      return .signedIn(outcome, received.token, volatile: isVolatile ? info : nil)
    }
    let old = superseding(replaced.info, superseded, over: before)
    switch result {
    case .success where isStored:
      // Its tokens must not live on, where a sign-out read the store just before they came.
      if signOuts.load(ordering: .acquiring) != signOutsBefore { revokeLater(info) }
      if let old { revokeLater(old) }
      return info
    case .success(let stored):
      revokeLater(info)
      // Two at once, of the same user: who signs in wants to be signed in, and is.
      if signOuts.load(ordering: .acquiring) == signOutsBefore,
        stored.generation != before?.generation, let winner = stored.authInfo,
        winner.session.userID == info.session.userID, winner.baseURL == info.baseURL
      {
        return winner
      }
      throw AuthError(.notSignedIn, "A sign-out or another sign-in came before this one was done")
    case .failure(let error):
      let succession = SessionSuccession(
        oldGeneration: before?.generation,
        old: old,
        newGeneration: generation,
        new: info
      )
      guard mayBeStored else { throw refusal(of: info, by: error) }
      try settle(succession, isShown: isStored, after: error, signOutsBefore: signOutsBefore)
      return info
    }
  }

  /// An answer to a sign-in by the clocks as they are now.
  func received(_ answer: SignInAnswer, for generation: UInt64) -> ReceivedSignIn {
    ReceivedSignIn(
      answer,
      generation: generation,
      clock: core.withLock { $0.machine.clock },
      at: clock.moment
    )
  }

  /// What the new session replaces, with the newest tokens that are known.
  private func superseding(
    _ stored: AuthInfo?,
    _ held: HeldSession?,
    over before: SessionRecord?
  ) -> AuthInfo? {
    let own = held?.generation == before?.generation ? held : nil
    guard var info = stored ?? own?.info else { return nil }
    info.session.accessToken = info.session.accessToken ?? own?.accessToken
    return info
  }

  /// Makes room for a new session where the old one cannot be opened any more (R14).
  private func clearUnreadable() async throws(AuthError) {
    guard case .failure(let error) = readRecord() else { return }
    do throws(StorageError) {
      let removed = try await storage.wipe(reason: error.code == .keyLost ? .keyLost : .tampered)
      // It could be read after all: another process has signed in meanwhile.
      if let info = removed?.authInfo { revokeLater(info) }
    } catch { throw AuthError(error) }
  }

  private func authInfo(of answer: SignInAnswer, received: ReceivedToken?) -> AuthInfo {
    let info = AuthInfo(
      session: answer.session,
      user: answer.user,
      dialect: configuration.dialect.name,
      tokenModel: configuration.tokenModel,
      baseURL: configuration.baseURL.text,
      deviceID: configuration.deviceID,
      authenticatedAt: serverDate
    )
    return received?.overlay(info) ?? info
  }
}
