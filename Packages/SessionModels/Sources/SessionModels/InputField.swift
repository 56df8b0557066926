/// A field of a sign-in or registration form, which a dialect maps to the wire's name.
public enum InputField: String, Hashable, Sendable, CaseIterable {
  /// The e-mail address.
  case email
  /// E-mail address or username.
  case identifier
  /// The username.
  case username
  /// The password.
  case password
  /// The date of birth.
  case dateOfBirth
  /// The name to show.
  case displayName
}
