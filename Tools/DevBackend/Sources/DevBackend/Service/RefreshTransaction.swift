/// One refresh, from the token's row to its decision's rows, within one transaction.
struct RefreshTransaction {
  let presentation: TokenFamily.Presentation
  let successor: TokenHash
  let policy: TokenFamily.Policy
  /// What the client says of itself now; an update of the app changes it.
  let userAgent: String?
  let makeAccessToken: (_ user: String, _ session: String, _ device: String?) throws -> AccessToken

  /// What the client gets.
  enum Outcome: Sendable {
    case pair(AccessToken)
    case accessOnly(AccessToken)
    /// In seconds.
    case tooMany(retryAfter: Int64)
    case refused(TokenFamily.Refusal)
  }

  /// What was decided, for the answer, the log and whoever holds the session's tokens.
  struct Answer: Sendable {
    let outcome: Outcome
    /// `rotated`, `resent`, `limited`, `grace`, `refused`, or the reason of a revocation.
    let name: String
    var sessionID: String?
    var generation: Int?
    var revoked: [Revoked] = []
    var isSuspicious: Bool { !revoked.isEmpty }
  }

  func run(_ connection: any SQLConnection) throws -> Answer {
    let loaded = try RefreshTokenTable.family(ofToken: presentation.token, connection)
    guard var family = loaded?.family else {
      return Answer(outcome: .refused(.unknownToken), name: "refused")
    }
    let decision = family.present(presentation, successor: successor, policy: policy)
    switch decision {
    case .rotated:
      try RefreshTokenTable.spendLive(presentation, family: family.id, connection)
      try insertSuccessor(of: family, connection)
      try RefreshTokenTable.forget(
        family: family.id,
        expiredBefore: presentation.now - policy.lifetime,
        connection
      )
      let access = try grant(family, connection)
      return answer(.pair(access), "rotated", family)
    case .resent:
      try insertSuccessor(of: family, connection)
      let access = try grant(family, resends: 1, connection)
      return answer(.pair(access), "resent", family)
    case .tooMany(let milliseconds):
      return answer(.tooMany(retryAfter: (milliseconds + 999) / 1_000), "limited", family)
    case .grace:
      let access = try grant(family, grace: 1, connection)
      return answer(.accessOnly(access), "grace", family)
    case .refused(let refusal):
      return answer(.refused(refusal), "refused", family)
    case .revoked(let reason, let scope):
      let ids =
        switch scope {
        case .family: [family.id]
        case .user: try FamilyTable.sessions(ofUser: family.userID, connection).map(\.id)
        }
      let revoked = try FamilyTable.revoke(
        ids,
        reason: reason,
        now: presentation.now,
        connection
      )
      return answer(.refused(.revoked(reason)), reason.rawValue, family, revoked)
    }
  }

  private func insertSuccessor(of family: TokenFamily, _ connection: any SQLConnection) throws {
    try RefreshTokenTable.insert(
      successor,
      family: family.id,
      generation: family.generation,
      issuedAt: presentation.now,
      expiresAt: presentation.now + policy.lifetime,
      connection
    )
  }

  private func grant(
    _ family: TokenFamily,
    grace: Int64 = 0,
    resends: Int64 = 0,
    _ connection: any SQLConnection
  ) throws -> AccessToken {
    let access = try makeAccessToken(family.userID, family.id, family.deviceID)
    try FamilyTable.touch(
      family,
      grace: grace,
      resends: resends,
      now: presentation.now,
      accessUntil: access.expiresAt,
      userAgent: userAgent,
      connection
    )
    return access
  }

  private func answer(
    _ outcome: Outcome,
    _ name: String,
    _ family: TokenFamily,
    _ revoked: [Revoked] = []
  ) -> Answer {
    Answer(
      outcome: outcome,
      name: name,
      sessionID: family.id,
      generation: family.generation,
      revoked: revoked
    )
  }
}
