/// Users, groups and messages to play with; see ``BackendConfiguration/seedsDemoData``.
public enum DemoData {
  /// One demo user.
  public struct User: Sendable {
    /// The name to sign in with (KSN).
    public let username: String
    /// The e-mail address to sign in with.
    public let email: String
    /// The password.
    public let password: String
    let displayName: String
    let dateOfBirth: String
    let isStudentVerified: Bool
    let grade: String?
    let school: String?
    let onboardingCompleted: Bool
  }

  /// The users: a verified student, one without a school, and one who has not finished onboarding.
  public static let users = [
    User(
      username: "ada",
      email: "ada@example.com",
      password: "Lovelace1",
      displayName: "Ada",
      dateOfBirth: "2008-12-10",
      isStudentVerified: true,
      grade: "11",
      school: "Northside High",
      onboardingCompleted: true
    ),
    User(
      username: "grace",
      email: "grace@example.com",
      password: "Hopper1906",
      displayName: "Grace",
      dateOfBirth: "2005-12-09",
      isStudentVerified: false,
      grade: nil,
      school: nil,
      onboardingCompleted: true
    ),
    User(
      username: "linus",
      email: "linus@example.com",
      password: "Kernel1991",
      displayName: "Linus",
      dateOfBirth: "2010-12-28",
      isStudentVerified: false,
      grade: "9",
      school: nil,
      onboardingCompleted: false
    ),
  ]

  private static let messages = [
    ("general", 0, "Hello, and welcome to the general group."),
    ("general", 1, "Hi Ada! Does the stream keep its place when I go offline?"),
    ("general", 0, "It does: it asks for everything after the last sequence number."),
    ("homework", 0, "Who has solved the third problem?"),
    ("homework", 2, "Me, by induction."),
  ]

  /// Makes what is missing of it; a second start adds nothing.
  static func seed(_ core: BackendCore) throws(BackendError) {
    do {
      for user in users { try seed(user, core) }
      try core.database.transaction { try seedMessages(now: core.time.now, $0) }
    } catch let error as BackendError {
      throw error
    } catch {
      throw BackendError(.database, "cannot make the demo data: \(error)")
    }
  }

  private static func seed(_ user: User, _ core: BackendCore) throws {
    let isKnown = try core.database.transaction {
      try UserTable.login(identifier: user.email, byUsername: false, $0) != nil
    }
    guard !isKnown, let passwordHash = core.passwords.hash(user.password) else { return }
    var record = RegistrationForm(
      email: user.email,
      username: user.username,
      password: user.password,
      dateOfBirth: CivilDate(user.dateOfBirth),
      displayName: user.displayName
    ).user(now: core.time.now)
    record.isStudentVerified = user.isStudentVerified
    (record.grade, record.school) = (user.grade, user.school)
    record.onboardingCompleted = user.onboardingCompleted
    let account = record
    try core.database.transaction { connection in
      try UserTable.insert(account, passwordHash: passwordHash, connection)
      try GroupTable.join(GroupService.general, user: account.id, connection)
    }
  }

  private static func seedMessages(now: Int64, _ connection: any SQLConnection) throws {
    try GroupTable.create("homework", now: now, connection)
    let ids = try users.map { user in
      try UserTable.login(identifier: user.email, byUsername: false, connection)?.user.id
    }
    for id in ids.compactMap(\.self) { try GroupTable.join("homework", user: id, connection) }
    for (number, (group, author, body)) in messages.enumerated() {
      guard let sender = ids[author] else { continue }
      let clientMessageID = "demo-\(number)"
      let known = try GroupTable.message(
        clientMessageID: clientMessageID,
        sender: sender,
        group: group,
        connection
      )
      guard known == nil else { continue }
      _ = try GroupTable.append(
        body: body,
        clientMessageID: clientMessageID,
        sender: sender,
        group: group,
        now: now,
        connection
      )
    }
  }
}
