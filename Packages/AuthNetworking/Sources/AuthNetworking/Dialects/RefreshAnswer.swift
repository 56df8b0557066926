public import SessionModels

/// What an answer to a refresh means for the session (R2, R5).
public enum RefreshAnswer: Equatable, Sendable {
  /// Conclusive: a new access token. `refreshToken` is nil where the answer has none: the stored
  /// one stays. `expiresIn` is the access token's lifetime in seconds, where given; above 0.
  case rotated(AccessToken, refreshToken: Secret?, expiresIn: Double?)
  /// Conclusive: the token was refused and the session is over. The error is the one for
  /// waiters (``AuthError/Code/sessionEnded`` with the same reason).
  case refused(SignOutReason, AuthError)
  /// No answer to the question: the attempt stays open, the session is kept.
  case temporary(AuthError)
}
