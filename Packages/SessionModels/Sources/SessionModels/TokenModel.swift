/// How a backend keeps its users signed in: configured, never guessed from an answer.
public enum TokenModel: String, Hashable, Sendable, Codable, CaseIterable {
  /// A short-lived access token, and a refresh token that is rotated at every use.
  case accessRefresh = "access-refresh"
  /// One opaque session id, sent as the bearer token; there is no refresh, a 401 ends the session.
  case opaque
}
