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
  /// Shared by all copies: a token goes through many hands, and is two words in each.
  private let claims: Claims?

  private final class Claims: Sendable {
    let value: JWTClaims

    init(_ value: JWTClaims) { self.value = value }
  }

  /// Reads the claims out of a token.
  public init(_ secret: Secret) {
    self.secret = secret
    claims = secret.withBytes { JWTClaims(token: $0) }.map { Claims($0) }
  }

  /// `exp`: when it stops being accepted, by the server's clock; nil where absent or absurd.
  public var expiresAt: Date? { claims?.value.expiresAt }
  /// `iat`: when it was issued, by the server's clock; nil where absent or absurd.
  public var issuedAt: Date? { claims?.value.issuedAt }
  /// `sub`: whom it is about.
  public var subject: UserID? { claims?.value.subject }
  /// `sid`: the session (token family) on the server.
  public var sessionID: String? { claims?.value.sessionID }

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
