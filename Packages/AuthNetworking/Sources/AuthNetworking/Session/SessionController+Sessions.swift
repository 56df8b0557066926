internal import SecureStorage
internal import SessionModels
internal import Synchronization

extension SessionController {
  /// The user's sessions on all devices, in the server's order.
  ///
  /// - Throws: ``AuthError``, as ``currentUser()``; `rejected` where the dialect cannot.
  public func sessions() async throws(AuthError) -> [ServerSession] {
    let dialect = configuration.dialect
    guard let call = dialect.listSessions() else {
      throw AuthError(.rejected, "\(dialect.name) cannot list sessions")
    }
    let answer = try await send(APIRequest(call))
    var sessions: [ServerSession]
    do { sessions = try dialect.sessions(from: answer.httpResponse) } catch {
      throw finished(error, answer)
    }
    // A server that does not say which one asks may have said it in the token.
    if !sessions.contains(where: \.isCurrent), let own = ownSessionID {
      for index in sessions.indices where sessions[index].id == own {
        sessions[index].isCurrent = true
      }
    }
    return sessions
  }

  /// Revokes one session of the user on the server, by its id.
  ///
  /// Where it is this one, it ends here too, as after ``logout()``: ``states()`` says
  /// `signedOut(.userRequested)`, and nothing of it is stored any more.
  ///
  /// - Returns: whether it was this one.
  /// - Throws: ``AuthError``, as ``send(_:)``; `rejected` where the dialect cannot, or the server
  ///   refuses (404 where the user has no such session); `storage` where this session is revoked
  ///   and could not be removed here.
  @discardableResult
  public func revokeSession(id: String) async throws(AuthError) -> Bool {
    let generation = core.withLock { $0.machine.session?.generation }
    let isOwn = try await isOwnSession(id)
    try await revokeOnServer(id)
    guard isOwn, let generation else { return false }
    try await endRevoked(generation)
    return true
  }

  /// Revokes all of the user's sessions but this one.
  ///
  /// One that is gone by itself meanwhile counts as revoked. Where one cannot be revoked, the
  /// others are all the same, and then the first failure is thrown.
  ///
  /// - Returns: those that were revoked.
  /// - Throws: ``AuthError``, as ``revokeSession(id:)``; `rejected`, with nothing revoked, where
  ///   the server does not say which session is this one.
  public func revokeOtherSessions() async throws(AuthError) -> [ServerSession] {
    let sessions = try await sessions()
    guard sessions.contains(where: \.isCurrent) else {
      throw AuthError(.rejected, "The server does not say which of the sessions is this one")
    }
    var revoked: [ServerSession] = []
    var failure: AuthError?
    for session in sessions where !session.isCurrent {
      do {
        try await revokeOnServer(session.id)
        revoked.append(session)
      } catch {
        if error.status == 404 { revoked.append(session) } else { failure = failure ?? error }
      }
    }
    if let failure { throw failure }
    return revoked
  }

  private func revokeOnServer(_ id: String) async throws(AuthError) {
    let dialect = configuration.dialect
    guard let call = dialect.revokeSession(id: id) else {
      throw AuthError(.rejected, "\(dialect.name) cannot revoke single sessions")
    }
    let answer = try await send(APIRequest(call))
    if !answer.httpResponse.isSuccess { throw failure(of: answer) }
  }

  /// The id of this session on the server, as far as its token tells.
  private var ownSessionID: String? {
    guard let token = core.withLock({ $0.machine.session?.accessToken }) else { return nil }
    return token.sessionID
  }

  private func isOwnSession(_ id: String) async throws(AuthError) -> Bool {
    // Another backend's word about a session of that name ends nothing here (R8).
    guard sessionOrigin == configuration.baseURL.origin else { return false }
    let token = core.withLock { $0.machine.session?.accessToken }
    if let own = token?.sessionID { return own == id }
    // Opaque: the token is the session's id (http.md), unless the server has another name for it.
    if token?.secret == Secret(id) { return true }
    guard configuration.dialect.listSessions() != nil else { return false }
    do { return try await sessions().contains { $0.isCurrent && $0.id == id } } catch {
      // A backend that can revoke and not list: the next request finds out.
      if error.code == .rejected { return false }
      throw error
    }
  }

  /// Ends the session that the server has just revoked, unless another one is stored by now (R4).
  private func endRevoked(_ generation: UInt64) async throws(AuthError) {
    let next = randomness.generation()
    let result = await update { record in
      guard record.generation == generation else { return nil }
      return SessionRecord(generation: next, authInfo: nil, signOutReason: .userRequested)
    }
    if case .failure(let error) = result {
      note(.error, "The revoked session could not be removed: \(error)")
      guard core.withLock({ $0.machine.session?.generation }) == generation else { return }
      // As a sign-out does: without any key, and without leaving at the server who came in between.
      do throws(StorageError) {
        let removed = try await storage.wipe(reason: .userRequested)
        if removed?.generation != generation, let info = removed?.authInfo { revokeLater(info) }
      } catch { throw AuthError(error) }
    }
    readStore()
  }
}
