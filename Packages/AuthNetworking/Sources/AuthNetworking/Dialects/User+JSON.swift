public import SessionModels

extension UserID {
  /// An id from a JSON string or integer; nil for everything else, an empty string included.
  public init?(_ value: JSONValue?) {
    switch value {
    case .string(let text)? where !text.isEmpty: self.init(text)
    case .number(let number)? where number.isInteger: self.init(number.literal)
    default: return nil
    }
  }
}

extension User {
  /// A user out of an object, or nil where it has no id.
  ///
  /// A field of another type than expected is taken for unknown, so that a backend's change to
  /// one of them locks nobody out. `grade` and `school` keep their three states: missing is
  /// hidden, `null` is none.
  ///
  /// - Parameters:
  ///   - value: the object.
  ///   - wireName: what the dialect calls a field whose camelCase name is given.
  public init?(_ value: JSONValue, wireName: (String) -> String = { $0 }) {
    guard let id = UserID(value["id"]) else { return nil }
    func text(_ name: String) -> String? { value[wireName(name)]?.string }
    func truth(_ name: String) -> Bool? { value[wireName(name)]?.bool }
    func disclosed(_ name: String) -> Disclosed<String> {
      switch value[wireName(name)] {
      case .null?: .none
      case .string(let text)?: .value(text)
      case .number(let number)?: .value(number.literal)
      default: .hidden
      }
    }
    self.init(
      id: id,
      username: text("username"),
      email: text("email"),
      displayName: text("displayName"),
      isMinor: truth("isMinor"),
      requiresParentalConsent: truth("requiresParentalConsent"),
      createdAt: text("createdAt").flatMap(Instant.date(parsing:)),
      onboardingCompleted: truth("onboardingCompleted"),
      isStudentVerified: truth("isStudentVerified"),
      grade: disclosed("grade"),
      school: disclosed("school")
    )
  }
}
