/// What a user types to make an account.
public struct Registration: Equatable, Sendable {
  /// The name to sign in with.
  public var username: String
  /// The e-mail address.
  public var email: String
  /// The password.
  public var password: Secret
  /// The date of birth; KSN needs it, SkyConnect does not know it.
  public var dateOfBirth: CalendarDate?
  /// The name to show, where given.
  public var displayName: String?

  /// A registration as typed.
  public init(
    username: String,
    email: String,
    password: Secret,
    dateOfBirth: CalendarDate? = nil,
    displayName: String? = nil
  ) {
    self.username = username
    self.email = email
    self.password = password
    self.dateOfBirth = dateOfBirth
    self.displayName = displayName
  }

  /// Checks what can be checked before the network.
  ///
  /// - Parameters:
  ///   - rules: which rules the dialect has.
  ///   - today: the day of registration where the user is.
  /// - Throws: ``ValidationError`` with one message for each field that is wrong.
  public func validate(
    rules: RegistrationRules,
    today: CalendarDate
  ) throws(ValidationError) {
    var faults = ValidationError.Faults()
    faults.check(.username, !username.allSatisfy(\.isWhitespace), .usernameRequired)
    faults.check(.email, EmailAddress.isPlausible(email), .invalidEmail)
    if let strength = rules.password {
      faults.check(.password, strength.isMet(by: password), .weakPassword)
    } else {
      faults.check(.password, !password.isEmpty, .passwordRequired)
    }
    if let ages = rules.ages {
      if let dateOfBirth {
        faults.check(.dateOfBirth, ages.contains(dateOfBirth.age(on: today)), .ageOutOfRange(ages))
      } else {
        faults.check(.dateOfBirth, false, .dateOfBirthRequired)
      }
    }
    try faults.throwIfAny()
  }
}
