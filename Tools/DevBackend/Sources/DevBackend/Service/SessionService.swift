internal import Synchronization

/// Opens, refreshes and ends sessions.
struct SessionService: Sendable {
  let core: BackendCore

  /// Where a session is opened from.
  struct Origin: Sendable {
    let dialect: Dialect
    let deviceID: String?
    let userAgent: String?
    /// Nil where it is not known.
    let address: PeerAddress?
  }

  /// One refresh request.
  struct RefreshRequest: Sendable {
    let refreshToken: String
    let deviceID: String?
    /// `X-Request-Id`, where the client sent one.
    let attemptID: String?
    let dialect: Dialect
    let userAgent: String?
  }

  /// Begins a session, within the caller's transaction.
  func open(
    user: UserRecord,
    from origin: Origin,
    _ connection: any SQLConnection
  ) throws -> (id: String, tokens: IssuedTokens) {
    let now = core.time.now
    let id = Entropy.id("ses")
    let isOpaque = core.configuration.tokenModel == .opaque
    let secret = Entropy.secret()
    let access = isOpaque ? nil : try makeAccessToken(user.id, session: id, device: origin.deviceID)
    let until = now + refreshLifetime
    try FamilyTable.insert(
      SessionRecord(
        id: id,
        userID: user.id,
        dialect: origin.dialect,
        deviceID: origin.deviceID,
        userAgent: origin.userAgent,
        createdAt: now,
        lastSeenAt: now,
        accessUntil: access?.expiresAt ?? until,
        generation: 0,
        graceAnswers: 0,
        resends: 0,
        revokedAt: nil,
        revocation: nil,
        opaqueUntil: isOpaque ? until : nil
      ),
      opaqueHash: isOpaque ? core.hash(secret) : nil,
      connection
    )
    guard let access else {
      return (id, IssuedTokens(accessToken: secret, refreshToken: nil, expiresIn: nil))
    }
    try RefreshTokenTable.insert(
      core.hash(secret),
      family: id,
      generation: 0,
      issuedAt: now,
      expiresAt: until,
      connection
    )
    return (id, access.issued(with: secret))
  }

  /// Answers a refresh; what was decided is on disk when this returns or throws.
  ///
  /// - Throws: ``ServiceFailure/refreshRefused(_:)``, after revoking where that was decided.
  func refresh(_ request: RefreshRequest, _ log: RequestLog) throws -> IssuedTokens {
    guard core.configuration.tokenModel == .accessRefresh else {
      throw ServiceFailure.refreshUnsupported
    }
    let presentation = TokenFamily.Presentation(
      token: core.hash(request.refreshToken),
      deviceID: request.deviceID,
      attemptID: request.attemptID,
      now: core.time.now
    )
    let successor = Entropy.secret()
    let answer = try core.database.transaction { connection in
      try RefreshTransaction(
        presentation: presentation,
        successor: core.hash(successor),
        policy: policy(for: request.dialect),
        userAgent: request.userAgent,
        makeAccessToken: makeAccessToken
      ).run(connection)
    }
    core.publish(answer.revoked, log)
    log(
      "refresh.\(answer.name)",
      level: answer.isSuspicious ? .warning : .info,
      [
        "sid": answer.sessionID, "token": RequestLog.tail(request.refreshToken),
        "generation": answer.generation.map { String($0) },
      ]
    )
    switch answer.outcome {
    case .pair(let access): return access.issued(with: successor)
    case .accessOnly(let access): return access.issued(with: nil)
    case .tooMany(let seconds): throw ServiceFailure.tooManyAttempts(retryAfter: seconds)
    case .refused(let refusal): throw ServiceFailure.refreshRefused(refusal)
    }
  }

  /// The user's sessions that still live, oldest first.
  func list(of principal: Principal) throws -> [SessionRecord] {
    let now = core.time.now
    let (sessions, liveUntil) = try core.database.transaction { connection in
      (
        try FamilyTable.sessions(ofUser: principal.userID, connection),
        try RefreshTokenTable.liveUntil(ofUser: principal.userID, connection)
      )
    }
    let living = sessions.filter { session in
      session.revokedAt == nil && now < session.opaqueUntil ?? liveUntil[session.id] ?? 0
    }
    return core.sightings.withLock { sightings in
      living.map { session in
        var session = session
        session.lastSeenAt = max(session.lastSeenAt, sightings.latest(session.id) ?? .min)
        return session
      }
    }
  }

  /// Ends a session by its id (or, for an opaque one, by its token), for its own user only.
  ///
  /// - Throws: ``ServiceFailure/notFound(_:)`` where this user has no such session.
  func revoke(_ id: String, by principal: Principal, _ log: RequestLog) throws {
    let now = core.time.now
    let revoked = try core.database.transaction { connection in
      let session =
        try FamilyTable.session(id: id, connection)
        ?? FamilyTable.session(opaqueHash: core.hash(id), connection)
      guard let session, session.userID == principal.userID else {
        throw ServiceFailure.notFound("session")
      }
      return try FamilyTable.revoke([session.id], reason: .revoked, now: now, connection)
    }
    core.publish(revoked, log)
  }

  /// Ends all of the user's sessions on all devices, or all but the one that asks.
  func revokeAll(of principal: Principal, keepsCurrent: Bool, _ log: RequestLog) throws {
    let now = core.time.now
    let revoked = try core.database.transaction { connection in
      let ids = try FamilyTable.sessions(ofUser: principal.userID, connection).map(\.id)
        .filter { !keepsCurrent || $0 != principal.sessionID }
      return try FamilyTable.revoke(ids, reason: .loggedOut, now: now, connection)
    }
    core.publish(revoked, log)
  }

  /// Ends the session of a refresh token (spent ones too), or of the bearer where there is none.
  ///
  /// A token that is unknown has nothing to end, which is what its holder asked for.
  func logOut(refreshToken: String?, bearer: Principal?, _ log: RequestLog) throws {
    let now = core.time.now
    let revoked = try core.database.transaction { connection in
      let ofToken = try refreshToken.flatMap { token in
        try RefreshTokenTable.family(ofToken: core.hash(token), connection)?.session.id
      }
      let ids = [ofToken, bearer?.sessionID].compactMap(\.self)
      return try FamilyTable.revoke(ids, reason: .loggedOut, now: now, connection)
    }
    core.publish(revoked, log)
  }

  var refreshLifetime: Int64 { core.configuration.refreshLifetime.milliseconds }

  private func policy(for dialect: Dialect) -> TokenFamily.Policy {
    TokenFamily.Policy(
      lifetime: refreshLifetime,
      grace: core.configuration.refreshGrace.milliseconds,
      reuseScope: reuseScope(in: dialect)
    )
  }

  private func reuseScope(in dialect: Dialect) -> TokenFamily.ReuseScope {
    switch core.configuration.reuseReach {
    case .dialect: dialect == .ksn ? .user : .family
    case .session: .family
    case .user: .user
    }
  }

  /// A signed access token for a session.
  func makeAccessToken(_ userID: String, session: String, device: String?) throws -> AccessToken {
    // After "expire all tokens now" a new one must differ from those of the same millisecond.
    let now = max(core.time.now, core.faults.accessTokensEndedAt + 1)
    let seconds = max(1, core.configuration.accessLifetime.milliseconds / 1_000)
    let claims = AccessTokenClaims(
      userID: userID,
      sessionID: session,
      deviceID: device,
      issuedAt: now,
      expiry: now.flooredQuotient(1_000) + seconds,
      nonce: Base64URL.encode(Entropy.bytes(9))
    )
    guard let text = core.keys.current.encode(claims, at: core.time.now) else {
      throw ServiceFailure.internalFault
    }
    return AccessToken(
      text: text,
      expiresAt: claims.expiry * 1_000,
      lifetime: seconds
    )
  }
}

/// An access token before it is handed out.
struct AccessToken: Sendable {
  let text: String
  /// In milliseconds since 1970.
  let expiresAt: Int64
  /// In seconds.
  let lifetime: Int64

  func issued(with refreshToken: String?) -> IssuedTokens {
    IssuedTokens(accessToken: text, refreshToken: refreshToken, expiresIn: lifetime)
  }
}
