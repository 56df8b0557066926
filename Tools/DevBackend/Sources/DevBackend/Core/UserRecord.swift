/// An account.
struct UserRecord: Equatable, Sendable {
  let id: String
  let username: String
  let email: String
  let displayName: String?
  /// Nil for accounts made through SkyConnect, which does not ask.
  let dateOfBirth: CivilDate?
  /// Root of the client's end-to-end identity; a secret of the user, never logged.
  let identitySeed: String
  /// In milliseconds since 1970.
  let createdAt: Int64
  var onboardingCompleted: Bool
  var isStudentVerified: Bool
  var grade: String?
  var school: String?

  /// Names and addresses are compared without case.
  static func key(_ name: String) -> String { name.lowercased() }
}
