/// Refresh tokens in the database, by their keyed hashes.
enum RefreshTokenTable {
  /// The family that a token belongs to, with its live tokens and, where it was spent, the
  /// presented one; nil for a token that is unknown.
  static func family(
    ofToken hash: TokenHash,
    _ connection: any SQLConnection
  ) throws -> (family: TokenFamily, session: SessionRecord)? {
    // The family's row is locked before its tokens are read: another instance may be about to
    // spend them.
    guard let session = try FamilyTable.lockedSession(ofRefreshToken: hash, connection) else {
      return nil
    }
    let rows = try connection.run(
      "SELECT generation, spent_at, spent_attempt FROM refresh_tokens WHERE hash = ?",
      .text(hash)
    )
    guard let row = rows.first else { return nil }
    let live = try connection.run(
      """
      SELECT hash, issued_at, expires_at FROM refresh_tokens
      WHERE family_id = ? AND spent_at IS NULL ORDER BY issued_at, hash
      """,
      .text(session.id)
    )
    let spent = row.optionalInteger(1).map { spentAt in
      TokenFamily.SpentToken(
        hash: hash,
        generation: Int(row.integer(0)),
        spentAt: spentAt,
        attemptID: row.optionalText(2)
      )
    }
    let family = TokenFamily(
      id: session.id,
      userID: session.userID,
      deviceID: session.deviceID,
      generation: session.generation,
      live: live.map { .init(hash: $0.text(0), issuedAt: $0.integer(1), expiresAt: $0.integer(2)) },
      spent: spent.map { [$0] } ?? [],
      revocation: session.revocation
    )
    return (family, session)
  }

  static func insert(
    _ hash: TokenHash,
    family: String,
    generation: Int,
    issuedAt: Int64,
    expiresAt: Int64,
    _ connection: any SQLConnection
  ) throws {
    try connection.run(
      "INSERT INTO refresh_tokens VALUES (?, ?, ?, ?, ?, NULL, NULL)",
      .text(hash),
      .text(family),
      .integer(Int64(generation)),
      .integer(issuedAt),
      .integer(expiresAt)
    )
  }

  /// Marks every live token of a family as spent, as the family just decided.
  static func spendLive(
    _ presentation: TokenFamily.Presentation,
    family: String,
    _ connection: any SQLConnection
  ) throws {
    try connection.run(
      """
      UPDATE refresh_tokens SET spent_at = ?, spent_attempt = CASE WHEN hash = ? THEN ? END
      WHERE family_id = ? AND spent_at IS NULL
      """,
      .integer(presentation.now),
      .text(presentation.token),
      .optional(presentation.attemptID),
      .text(family)
    )
  }

  /// By session, until when its newest refresh token can be spent.
  static func liveUntil(
    ofUser userID: String,
    _ connection: any SQLConnection
  ) throws -> [String: Int64] {
    let rows = try connection.run(
      """
      SELECT family_id, MAX(expires_at) FROM refresh_tokens
      WHERE spent_at IS NULL AND family_id IN (SELECT id FROM families WHERE user_id = ?)
      GROUP BY family_id
      """,
      .text(userID)
    )
    return Dictionary(rows.map { ($0.text(0), $0.integer(1)) }) { first, _ in first }
  }

  /// Forgets tokens that were spent and have been expired for as long as they lived, so that a
  /// family's table does not grow for ever; until then their reuse is noticed.
  static func forget(
    family: String,
    expiredBefore instant: Int64,
    _ connection: any SQLConnection
  ) throws {
    try connection.run(
      """
      DELETE FROM refresh_tokens
      WHERE family_id = ? AND spent_at IS NOT NULL AND expires_at < ?
      """,
      .text(family),
      .integer(instant)
    )
  }
}
