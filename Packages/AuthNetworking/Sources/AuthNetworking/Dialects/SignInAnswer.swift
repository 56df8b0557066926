public import SessionModels

/// What a login or a registration brings.
public struct SignInAnswer: Equatable, Sendable {
  /// The tokens and whose they are.
  public var session: Session
  /// The user, where the dialect sends one.
  public var user: User?
  /// The access token's lifetime in seconds as the answer gives it (`expires_in`), above 0.
  public var expiresIn: Double?

  /// An answer from its parts.
  public init(session: Session, user: User? = nil, expiresIn: Double? = nil) {
    self.session = session
    self.user = user
    self.expiresIn = expiresIn
  }
}
