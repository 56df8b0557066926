internal import Dispatch

/// Decides whether a bearer token lets its holder in.
struct AccessGate: Sendable {
  let core: BackendCore

  /// Opaque sessions are written back at most this often, in milliseconds.
  private static let touchInterval: Int64 = 60_000

  /// Who holds the token.
  ///
  /// - Throws: ``ServiceFailure/unauthorized(_:)`` where it is missing, wrong, expired or revoked.
  func principal(bearer token: String?) throws -> Principal {
    guard let token, !token.isEmpty else { throw ServiceFailure.unauthorized(.missing) }
    switch core.configuration.tokenModel {
    case .accessRefresh:
      if case let reading = read(token), reading != .unknownKey { return try signed(reading) }
      core.keys.lookAgain(in: core.database, now: core.time.now)
      return try signed(read(token))
    case .opaque:
      let (hash, now) = (core.hash(token), core.time.now)
      return try core.database.transaction { try opaque(hash, now: now, $0) }
    }
  }

  /// The same for callers that must not block.
  func principal(bearer token: String?) async throws -> Principal {
    guard let token, !token.isEmpty else { throw ServiceFailure.unauthorized(.missing) }
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
      return try await core.database.perform { try opaque(hash, now: now, $0) }
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
    return core.hearsRevocations ? nil : .unavailable
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
    case nil: return principal
    }
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
    if now - session.lastSeenAt >= Self.touchInterval {
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
