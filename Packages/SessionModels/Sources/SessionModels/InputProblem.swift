/// What is wrong with one field.
public enum InputProblem: Hashable, Sendable {
  /// No e-mail address.
  case invalidEmail
  /// Nothing was given to sign in with.
  case identifierRequired
  /// No username was given.
  case usernameRequired
  /// No password was given.
  case passwordRequired
  /// Too short, or without an upper-case letter or a digit.
  case weakPassword
  /// No date of birth was given, or none that the calendar has.
  case dateOfBirthRequired
  /// Too young or too old, in completed years.
  case ageOutOfRange(ClosedRange<Int>)

  /// What to tell the user.
  public var message: String {
    switch self {
    case .invalidEmail: "Invalid email address"
    case .identifierRequired: "Enter your email address or username"
    case .usernameRequired: "Enter a username"
    case .passwordRequired: "Enter a password"
    case .weakPassword:
      "Use at least 8 characters, with an upper-case letter and a digit"
    case .dateOfBirthRequired: "Enter your date of birth as YYYY-MM-DD"
    case .ageOutOfRange(let ages):
      "You must be \(ages.lowerBound) to \(ages.upperBound) years old"
    }
  }
}
