/// The schema, as the steps that lead to it; steps are added, never changed.
enum Migrations {
  /// Brings a database up to date, within the caller's transaction.
  ///
  /// - Throws: ``BackendError`` where it is newer than this program, or fails.
  static func apply(
    _ steps: [[String]] = steps,
    to connection: any SQLConnection
  ) throws(BackendError) {
    try connection.run("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)")
    let version = Int(try connection.run("SELECT MAX(version) FROM schema_version")[0].integer(0))
    guard version <= steps.count else {
      throw BackendError(
        .newerDatabase,
        "the database has version \(version), this program knows \(steps.count); use a newer one"
      )
    }
    for (index, statements) in steps.enumerated().dropFirst(version) {
      for statement in statements { try connection.run(statement) }
      try connection.run("INSERT INTO schema_version VALUES (?)", .integer(Int64(index + 1)))
    }
  }

  static let steps = [
    [
      "CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
      """
      CREATE TABLE signing_keys (
        id TEXT PRIMARY KEY, seed TEXT NOT NULL, created_at BIGINT NOT NULL)
      """,
      """
      CREATE TABLE users (
        id TEXT PRIMARY KEY, username TEXT NOT NULL, username_key TEXT NOT NULL UNIQUE,
        email TEXT NOT NULL, email_key TEXT NOT NULL UNIQUE, password_hash TEXT NOT NULL,
        display_name TEXT, date_of_birth TEXT, identity_seed TEXT NOT NULL,
        created_at BIGINT NOT NULL, onboarding_completed BIGINT NOT NULL,
        student_verified BIGINT NOT NULL, grade TEXT, school TEXT)
      """,
      """
      CREATE TABLE families (
        id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), dialect TEXT NOT NULL,
        device_id TEXT, user_agent TEXT, created_at BIGINT NOT NULL,
        last_seen_at BIGINT NOT NULL, access_until BIGINT NOT NULL, opaque_hash TEXT UNIQUE,
        opaque_until BIGINT, revoked_at BIGINT, revocation_reason TEXT,
        generation BIGINT NOT NULL, grace_answers BIGINT NOT NULL, resends BIGINT NOT NULL)
      """,
      "CREATE INDEX families_of_user ON families (user_id)",
      """
      CREATE TABLE refresh_tokens (
        hash TEXT PRIMARY KEY, family_id TEXT NOT NULL REFERENCES families (id),
        generation BIGINT NOT NULL, issued_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
        spent_at BIGINT, spent_attempt TEXT)
      """,
      "CREATE INDEX live_tokens ON refresh_tokens (family_id) WHERE spent_at IS NULL",
      "CREATE TABLE chat_groups (id TEXT PRIMARY KEY, created_at BIGINT NOT NULL)",
      """
      CREATE TABLE members (
        group_id TEXT NOT NULL REFERENCES chat_groups (id),
        user_id TEXT NOT NULL REFERENCES users (id), PRIMARY KEY (group_id, user_id))
      """,
      """
      CREATE TABLE messages (
        group_id TEXT NOT NULL REFERENCES chat_groups (id), sequence BIGINT NOT NULL,
        id TEXT NOT NULL UNIQUE, sender_id TEXT NOT NULL REFERENCES users (id),
        client_message_id TEXT NOT NULL, body TEXT NOT NULL, sent_at BIGINT NOT NULL,
        PRIMARY KEY (group_id, sequence), UNIQUE (group_id, sender_id, client_message_id))
      """,
    ],
    // The row that those who send to a group lock, and what other instances look at for news.
    [
      "ALTER TABLE chat_groups ADD COLUMN last_sequence BIGINT NOT NULL DEFAULT 0",
      """
      UPDATE chat_groups SET last_sequence = COALESCE(
        (SELECT MAX(sequence) FROM messages WHERE group_id = chat_groups.id), 0)
      """,
    ],
    // When each key signs, and how.
    [
      "ALTER TABLE signing_keys ADD COLUMN algorithm TEXT NOT NULL DEFAULT 'EdDSA'",
      "ALTER TABLE signing_keys ADD COLUMN signs_from BIGINT",
    ],
    // Ended sessions in the order of their commits, for other instances to look at.
    [
      "CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL)",
      "INSERT INTO counters VALUES ('revocations', 0)",
      "ALTER TABLE families ADD COLUMN revocation_number BIGINT",
      """
      CREATE INDEX revocations ON families (revocation_number)
      WHERE revocation_number IS NOT NULL
      """,
    ],
  ]
}
