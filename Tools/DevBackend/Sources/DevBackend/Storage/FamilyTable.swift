/// What a session says beside its tokens.
struct SessionRecord: Equatable, Sendable {
  let id: String
  let userID: String
  let dialect: Dialect
  let deviceID: String?
  let userAgent: String?
  let createdAt: Int64
  var lastSeenAt: Int64
  /// No access token of this session lives longer.
  let accessUntil: Int64
  let generation: Int
  let graceAnswers: Int
  let resends: Int
  let revokedAt: Int64?
  let revocation: RevocationReason?
  /// When an opaque session ends; nil in the other model.
  let opaqueUntil: Int64?
}

/// Sessions in the database; their refresh tokens are in ``RefreshTokenTable``.
enum FamilyTable {
  private static let columns = """
    id, user_id, dialect, device_id, user_agent, created_at, last_seen_at, access_until,
    generation, grace_answers, resends, revoked_at, revocation_reason, opaque_until
    """

  static func insert(
    _ session: SessionRecord,
    opaqueHash: TokenHash?,
    _ connection: any SQLConnection
  ) throws {
    try connection.run(
      """
      INSERT INTO families (\(columns), opaque_hash)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, NULL, NULL, ?, ?)
      """,
      [
        .text(session.id), .text(session.userID), .text(session.dialect.rawValue),
        .optional(session.deviceID), .optional(session.userAgent),
        .integer(session.createdAt), .integer(session.lastSeenAt),
        .integer(session.accessUntil), .optional(session.opaqueUntil), .optional(opaqueHash),
      ]
    )
  }

  static func session(id: String, _ connection: any SQLConnection) throws -> SessionRecord? {
    try connection.run("SELECT \(columns) FROM families WHERE id = ?", .text(id)).first.map(record)
  }

  /// The session that a refresh token belongs to, whose row nobody else changes until the
  /// transaction has ended.
  static func lockedSession(
    ofRefreshToken hash: TokenHash,
    _ connection: any SQLConnection
  ) throws -> SessionRecord? {
    try connection.run(
      """
      SELECT \(columns) FROM families
      WHERE id = (SELECT family_id FROM refresh_tokens WHERE hash = ?)\(connection.rowLock)
      """,
      .text(hash)
    ).first.map(record)
  }

  static func session(
    opaqueHash: TokenHash,
    _ connection: any SQLConnection
  ) throws -> SessionRecord? {
    try connection.run("SELECT \(columns) FROM families WHERE opaque_hash = ?", .text(opaqueHash))
      .first.map(record)
  }

  static func sessions(
    ofUser userID: String,
    _ connection: any SQLConnection
  ) throws -> [SessionRecord] {
    try connection.run(
      "SELECT \(columns) FROM families WHERE user_id = ? ORDER BY created_at, id",
      .text(userID)
    ).map(record)
  }

  /// The sessions whose access tokens must still be refused.
  static func denied(
    now: Int64,
    _ connection: any SQLConnection
  ) throws -> [Revoked] {
    try connection.run(
      """
      SELECT id, revocation_reason, access_until FROM families
      WHERE revoked_at IS NOT NULL AND access_until > ?
      """,
      .integer(now)
    ).map(revoked)
  }

  /// Counts an answer, and notes how long its access token lives.
  static func touch(
    _ family: TokenFamily,
    grace: Int64 = 0,
    resends: Int64 = 0,
    now: Int64,
    accessUntil: Int64,
    userAgent: String?,
    _ connection: any SQLConnection
  ) throws {
    try connection.run(
      """
      UPDATE families SET generation = ?, grace_answers = grace_answers + ?,
        resends = resends + ?, last_seen_at = ?, user_agent = COALESCE(?, user_agent),
        access_until = CASE WHEN access_until > ? THEN access_until ELSE ? END
      WHERE id = ?
      """,
      .integer(Int64(family.generation)),
      .integer(grace),
      .integer(resends),
      .integer(now),
      .optional(userAgent),
      .integer(accessUntil),
      .integer(accessUntil),
      .text(family.id)
    )
  }

  /// Notes when sessions made a request, where that is news.
  static func see(
    _ seen: [(sessionID: String, at: Int64)],
    _ connection: any SQLConnection
  ) throws {
    for (id, instant) in seen {
      try connection.run(
        "UPDATE families SET last_seen_at = ? WHERE id = ? AND last_seen_at < ?",
        .integer(instant),
        .text(id),
        .integer(instant)
      )
    }
  }

  /// An opaque session that is used lives on.
  static func prolong(
    _ id: String,
    now: Int64,
    until: Int64,
    _ connection: any SQLConnection
  ) throws {
    try connection.run(
      "UPDATE families SET last_seen_at = ?, opaque_until = ?, access_until = ? WHERE id = ?",
      .integer(now),
      .integer(until),
      .integer(until),
      .text(id)
    )
  }

  /// Ends sessions that have not ended; the first reason stays.
  ///
  /// - Returns: those that this call ended.
  static func revoke(
    _ ids: [String],
    reason: RevocationReason,
    now: Int64,
    _ connection: any SQLConnection
  ) throws -> [Revoked] {
    let revoked = try ids.flatMap { id in
      try connection.run(
        """
        UPDATE families SET revoked_at = ?, revocation_reason = ?
        WHERE id = ? AND revoked_at IS NULL RETURNING id, access_until
        """,
        .integer(now),
        .text(reason.rawValue),
        .text(id)
      ).map { Revoked(sessionID: $0.text(0), reason: reason, accessUntil: $0.integer(1)) }
    }
    try number(revoked, connection)
    return revoked
  }

  /// Sessions that ended after the one with this number, and the number of the last.
  static func revocations(
    after number: Int64,
    _ connection: any SQLConnection
  ) throws -> (revoked: [Revoked], last: Int64) {
    let rows = try connection.run(
      """
      SELECT id, revocation_reason, access_until, revocation_number FROM families
      WHERE revocation_number > ? ORDER BY revocation_number
      """,
      .integer(number)
    )
    return (rows.map(revoked), rows.last?.integer(3) ?? number)
  }

  /// The number of the last session that ended.
  static func lastRevocation(_ connection: any SQLConnection) throws -> Int64 {
    try connection.run("SELECT value FROM counters WHERE name = 'revocations'")
      .first?.integer(0) ?? 0
  }

  /// Gives ended sessions the next number, in the order in which they are committed: the counter's
  /// row stays locked until then.
  private static func number(_ revoked: [Revoked], _ connection: any SQLConnection) throws {
    guard !revoked.isEmpty else { return }
    let number = try connection.run(
      "UPDATE counters SET value = value + 1 WHERE name = 'revocations' RETURNING value"
    )
    for session in revoked {
      try connection.run(
        "UPDATE families SET revocation_number = ? WHERE id = ?",
        .integer(number.first?.integer(0) ?? 0),
        .text(session.sessionID)
      )
    }
  }

  private static func revoked(_ row: SQLRow) -> Revoked {
    Revoked(
      sessionID: row.text(0),
      reason: RevocationReason(rawValue: row.text(1)) ?? .revoked,
      accessUntil: row.integer(2)
    )
  }

  private static func record(_ row: SQLRow) -> SessionRecord {
    SessionRecord(
      id: row.text(0),
      userID: row.text(1),
      dialect: Dialect(rawValue: row.text(2)) ?? .skyConnect,
      deviceID: row.optionalText(3),
      userAgent: row.optionalText(4),
      createdAt: row.integer(5),
      lastSeenAt: row.integer(6),
      accessUntil: row.integer(7),
      generation: Int(row.integer(8)),
      graceAnswers: Int(row.integer(9)),
      resends: Int(row.integer(10)),
      revokedAt: row.optionalInteger(11),
      revocation: row.optionalText(12).flatMap(RevocationReason.init(rawValue:)),
      opaqueUntil: row.optionalInteger(13)
    )
  }
}

/// A session that has just ended.
package struct Revoked: Equatable, Sendable {
  package let sessionID: String
  package let reason: RevocationReason
  /// Until when an access token of it may be about.
  package let accessUntil: Int64

  package init(sessionID: String, reason: RevocationReason, accessUntil: Int64) {
    (self.sessionID, self.reason, self.accessUntil) = (sessionID, reason, accessUntil)
  }
}
