#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An access token and what can be read out of it where it is a JWT (RFC 7519).
///
/// Nothing is verified: that is the server's business. A token that is no JWT, or has a strange
/// payload, is a token all the same; what cannot be read is nil, and nothing traps.
public struct AccessToken: Hashable, Sendable {
  /// The token itself.
  public let secret: Secret
  /// `exp`: when it stops being accepted, by the server's clock; nil where absent or absurd.
  public let expiresAt: Date?
  /// `iat`: when it was issued, by the server's clock; nil where absent or absurd.
  public let issuedAt: Date?
  /// `sub`: whom it is about.
  public let subject: UserID?
  /// `sid`: the session (token family) on the server.
  public let sessionID: String?

  /// Reads the claims out of a token.
  public init(_ secret: Secret) {
    self.secret = secret
    let claims = secret.withBytes { JWTClaims(token: $0) }
    expiresAt = claims?.expiresAt
    issuedAt = claims?.issuedAt
    subject = claims?.subject
    sessionID = claims?.sessionID
  }

  /// Equal secrets are equal tokens.
  public static func == (left: AccessToken, right: AccessToken) -> Bool {
    left.secret == right.secret
  }

  /// Hashes the readable claims only, never the secret.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(expiresAt)
    hasher.combine(sessionID)
  }
}
