/// What a login, registration or refresh hands out.
struct IssuedTokens: Sendable {
  let accessToken: String
  /// Nil for opaque sessions, and in the grace answer.
  let refreshToken: String?
  /// Seconds until the access token expires; nil for opaque sessions, which live on with use.
  let expiresIn: Int64?
}

/// Who is making a request, by its access token.
struct Principal: Equatable, Sendable {
  let userID: String
  let sessionID: String
  /// When the token expires, in milliseconds since 1970.
  let expiresAt: Int64
  /// When the token was made; nil for an opaque session.
  let issuedAt: Int64?
}
