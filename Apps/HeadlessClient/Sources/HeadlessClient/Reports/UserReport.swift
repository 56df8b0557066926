internal import AuthNetworking
internal import SessionModels

/// A user as a JSON line: the id a string always, what is unknown or hidden left out, and what
/// is not on file `null`.
enum UserReport {
  static func json(_ user: User) -> JSONValue {
    .members([
      "id": .string(user.id.rawValue),
      "email": user.email.map(JSONValue.string),
      "username": user.username.map(JSONValue.string),
      "displayName": user.displayName.map(JSONValue.string),
      "isMinor": user.isMinor.map(JSONValue.bool),
      "requiresParentalConsent": user.requiresParentalConsent.map(JSONValue.bool),
      "createdAt": user.createdAt.map { .string(Instant.text(of: $0)) },
      "onboardingCompleted": user.onboardingCompleted.map(JSONValue.bool),
      "isStudentVerified": user.isStudentVerified.map(JSONValue.bool),
      "grade": json(user.grade),
      "school": json(user.school),
    ])
  }

  private static func json(_ value: Disclosed<String>) -> JSONValue? {
    switch value {
    case .hidden: nil
    case .none: .null
    case .value(let text): .string(text)
    }
  }

  /// The user for people, one property a line.
  static func text(_ user: User) -> String {
    var rows = [("Id", user.id.rawValue)]
    func add(_ name: String, _ value: String?) {
      if let value { rows.append((name, value)) }
    }
    add("Name", user.displayName)
    add("Username", user.username)
    add("Email", user.email)
    add("Since", user.createdAt.map(Instant.text(of:)))
    add("Onboarding", user.onboardingCompleted.map { $0 ? "completed" : "not completed" })
    add("Student", user.isStudentVerified.map { $0 ? "verified" : "not verified" })
    add("Grade", text(user.grade))
    add("School", text(user.school))
    return Rows.text(rows)
  }

  private static func text(_ value: Disclosed<String>) -> String? {
    switch value {
    case .hidden: nil
    case .none: "none on file"
    case .value(let text): text
    }
  }

  /// What to call a user in a sentence.
  static func name(_ user: User) -> String {
    user.displayName ?? user.username ?? user.email ?? "user \(user.id)"
  }
}
