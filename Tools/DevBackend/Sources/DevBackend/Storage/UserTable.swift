/// Accounts in the database.
enum UserTable {
  private static let columns = """
    id, username, email, display_name, date_of_birth, identity_seed, created_at,
    onboarding_completed, student_verified, grade, school
    """

  /// Adds an account.
  ///
  /// - Throws: ``ServiceFailure/conflict(_:)`` where the address or the name is taken.
  static func insert(
    _ user: UserRecord,
    passwordHash: String,
    _ connection: any SQLConnection
  ) throws {
    for (field, column, value) in [
      ("email", "email_key", user.email), ("username", "username_key", user.username),
    ] {
      let taken = try connection.run(
        "SELECT 1 FROM users WHERE \(column) = ?",
        .text(UserRecord.key(value))
      )
      if !taken.isEmpty { throw ServiceFailure.conflict(field) }
    }
    try connection.run(
      """
      INSERT INTO users (\(columns), username_key, email_key, password_hash)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .text(user.id), .text(user.username), .text(user.email), .optional(user.displayName),
        .optional(user.dateOfBirth?.text), .text(user.identitySeed), .integer(user.createdAt),
        .flag(user.onboardingCompleted), .flag(user.isStudentVerified), .optional(user.grade),
        .optional(user.school), .text(UserRecord.key(user.username)),
        .text(UserRecord.key(user.email)), .text(passwordHash),
      ]
    )
  }

  static func user(id: String, _ connection: any SQLConnection) throws -> UserRecord? {
    try connection.run("SELECT \(columns) FROM users WHERE id = ?", .text(id)).first.map(record)
  }

  /// The account and its password hash, by e-mail address, or also by name.
  static func login(
    identifier: String,
    byUsername: Bool,
    _ connection: any SQLConnection
  ) throws -> (user: UserRecord, passwordHash: String)? {
    let key = SQLValue.text(UserRecord.key(identifier))
    let rows = try connection.run(
      """
      SELECT \(columns), password_hash FROM users
      WHERE email_key = ? OR (username_key = ? AND ? = 1)
      """,
      key,
      key,
      .flag(byUsername)
    )
    return rows.first.map { (record($0), $0.text(11)) }
  }

  /// Stores another hash of the same password, unless the password was changed meanwhile.
  static func replace(
    _ passwordHash: String,
    by newHash: String,
    of id: String,
    _ connection: any SQLConnection
  ) throws {
    try connection.run(
      "UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?",
      .text(newHash),
      .text(id),
      .text(passwordHash)
    )
  }

  static func count(_ connection: any SQLConnection) throws -> Int {
    Int(try connection.run("SELECT COUNT(*) FROM users")[0].integer(0))
  }

  static func completeOnboarding(_ id: String, _ connection: any SQLConnection) throws {
    try connection.run("UPDATE users SET onboarding_completed = 1 WHERE id = ?", .text(id))
  }

  static func setStudent(
    _ id: String,
    isVerified: Bool,
    grade: String?,
    school: String?,
    _ connection: any SQLConnection
  ) throws {
    try connection.run(
      "UPDATE users SET student_verified = ?, grade = ?, school = ? WHERE id = ?",
      .flag(isVerified),
      .optional(grade),
      .optional(school),
      .text(id)
    )
  }

  private static func record(_ row: SQLRow) -> UserRecord {
    UserRecord(
      id: row.text(0),
      username: row.text(1),
      email: row.text(2),
      displayName: row.optionalText(3),
      dateOfBirth: row.optionalText(4).flatMap(CivilDate.init),
      identitySeed: row.text(5),
      createdAt: row.integer(6),
      onboardingCompleted: row.flag(7),
      isStudentVerified: row.flag(8),
      grade: row.optionalText(9),
      school: row.optionalText(10)
    )
  }
}
