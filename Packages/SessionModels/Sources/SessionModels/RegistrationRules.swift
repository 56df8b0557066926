/// What a dialect demands of a registration before the network is asked.
public struct RegistrationRules: Equatable, Sendable {
  /// The rules for the password; nil where only an empty one is wrong.
  public var password: PasswordRules?
  /// Ages in completed years that may register; nil where no date of birth is asked for.
  public var ages: ClosedRange<Int>?

  /// Rules from their parts.
  public init(password: PasswordRules?, ages: ClosedRange<Int>?) {
    self.password = password
    self.ages = ages
  }

  /// SkyConnect: an e-mail address, a name and any password.
  public static let skyConnect = RegistrationRules(password: nil, ages: nil)
  /// KSN: a strong password, and 13 to 25 years on the day of registration.
  public static let ksn = RegistrationRules(password: PasswordRules(), ages: 13...25)
}

/// At least 8 characters, with an upper-case letter and a digit.
public struct PasswordRules: Equatable, Sendable {
  /// The fewest characters, as a person counts them.
  public var minimumLength: Int

  /// The rules, with another length where wanted.
  public init(minimumLength: Int = 8) { self.minimumLength = minimumLength }

  /// Whether a password is long enough and has an upper-case letter and a digit.
  public func isMet(by password: Secret) -> Bool {
    let text = password.reveal()
    return text.count >= minimumLength && text.contains(where: \.isUppercase)
      && text.utf8.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
