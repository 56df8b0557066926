/// What a user types to sign in.
public struct Credentials: Equatable, Sendable {
  /// The e-mail address, or in KSN also the username.
  public var identifier: String
  /// The password.
  public var password: Secret

  /// Credentials as typed.
  public init(identifier: String, password: Secret) {
    self.identifier = identifier
    self.password = password
  }

  /// Checks what can be checked before the network.
  ///
  /// - Parameter identifierIsEmail: whether only an e-mail address may stand there (SkyConnect).
  /// - Throws: ``ValidationError`` with one message for each field that is wrong.
  public func validate(identifierIsEmail: Bool) throws(ValidationError) {
    var faults = ValidationError.Faults()
    if identifierIsEmail {
      faults.check(.email, EmailAddress.isPlausible(identifier), .invalidEmail)
    } else {
      faults.check(.identifier, !identifier.allSatisfy(\.isWhitespace), .identifierRequired)
    }
    faults.check(.password, !password.isEmpty, .passwordRequired)
    try faults.throwIfAny()
  }
}
