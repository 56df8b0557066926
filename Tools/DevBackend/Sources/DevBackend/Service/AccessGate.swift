internal import Dispatch
internal import Synchronization

/// Decides whether a bearer token lets its holder in.
struct AccessGate: Sendable {
  let core: BackendCore

  /// Who holds the token.
  ///
  /// - Throws: ``ServiceFailure/unauthorized(_:)`` where it is missing, wrong, expired or revoked.
  func principal(bearer token: String?) throws -> Principal {
    guard let token, !token.isEmpty else { throw ServiceFailure.unauthorized(.missing) }
    try core.catchUp()
    switch core.configuration.tokenModel {
    case .accessRefresh:
      if case let reading = read(token), reading != .unknownKey { return try signed(reading) }
      core.keys.lookAgain(in: core.database, now: core.time.now)
      return try signed(read(token))
    case .opaque:
      let (hash, now) = (core.hash(token), core.time.now)
      if let known = try known(hash, at: now) { return known }
      return keep(try core.database.transaction { try opaque(hash, now: now, $0) }, hash, at: now)
    }
  }

  /// The same for callers that must not block.
  func principal(bearer token: String?) async throws -> Principal {
    guard let token, !token.isEmpty else { throw ServiceFailure.unauthorized(.missing) }
    try await core.catchUp()
    switch core.configuration.tokenModel {
    case .accessRefresh:
      if case let reading = read(token), reading != .unknownKey { return try signed(reading) }
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          core.keys.lookAgain(in: core.database, now: core.time.now)
          continuation.resume()
        }
      }
      return try signed(read(token))
    case .opaque:
      let (hash, now) = (core.hash(token), core.time.now)
      if let known = try known(hash, at: now) { return known }
      let found = try await core.database.perform { try opaque(hash, now: now, $0) }
      return keep(found, hash, at: now)
    }
  }

  /// Whether a token that was good is still: streams ask again while they live.
  func ending(of principal: Principal) -> StreamEnding? {
    if let reason = core.denyList.reason(for: principal.sessionID) { return .revoked(reason) }
    if let issuedAt = principal.issuedAt {
      let isOver =
        core.time.now >= principal.expiresAt || issuedAt <= core.faults.accessTokensEndedAt
      if isOver { return .tokenExpired }
    }
    return core.isCutOff ? .unavailable : nil
  }

  private func read(_ token: String) -> AccessTokenCoder.Reading {
    core.keys.current.decode(token, at: core.time.now)
  }

  private func signed(_ reading: AccessTokenCoder.Reading) throws -> Principal {
    guard case .signed(let claims) = reading else {
      throw ServiceFailure.unauthorized(.invalid)
    }
    let principal = Principal(
      userID: claims.userID,
      sessionID: claims.sessionID,
      expiresAt: claims.expiry * 1_000,
      issuedAt: claims.issuedAt
    )
    switch ending(of: principal) {
    case .revoked(let reason): throw ServiceFailure.unauthorized(.revoked(reason))
    case .tokenExpired: throw ServiceFailure.unauthorized(.expired)
    case .unavailable: throw ServiceFailure.unavailable
    case nil:
      core.sightings.withLock { $0.note(principal.sessionID, at: core.time.now) }
      return principal
    }
  }

  /// The session of a look-up that can still be trusted.
  private func known(_ hash: TokenHash, at now: Int64) throws -> Principal? {
    // An instance that may have missed a revocation asks the database, which has not.
    guard !core.isCutOff,
      let principal = core.sessionCache.withLock({ $0.principal(hash, at: now) })
    else { return nil }
    if let reason = core.denyList.reason(for: principal.sessionID) {
      throw ServiceFailure.unauthorized(.revoked(reason))
    }
    return principal
  }

  private func keep(_ principal: Principal, _ hash: TokenHash, at now: Int64) -> Principal {
    core.sessionCache.withLock { $0.store(principal, hash, at: now) }
    return principal
  }

  private func opaque(
    _ hash: TokenHash,
    now: Int64,
    _ connection: any SQLConnection
  ) throws -> Principal {
    guard let session = try FamilyTable.session(opaqueHash: hash, connection),
      let until = session.opaqueUntil
    else { throw ServiceFailure.unauthorized(.invalid) }
    if let reason = session.revocation { throw ServiceFailure.unauthorized(.revoked(reason)) }
    guard now < until else { throw ServiceFailure.unauthorized(.expired) }
    if now - session.lastSeenAt >= core.configuration.touchInterval {
      let until = now + core.configuration.refreshLifetime.milliseconds
      try FamilyTable.prolong(session.id, now: now, until: until, connection)
    }
    return Principal(
      userID: session.userID,
      sessionID: session.id,
      expiresAt: until,
      issuedAt: nil
    )
  }
}
