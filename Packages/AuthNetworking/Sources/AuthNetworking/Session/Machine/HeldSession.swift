#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import SessionModels

/// The signed-in session as the machine holds it.
struct HeldSession: Equatable, Sendable {
  /// The stored generation.
  var generation: UInt64
  /// What is stored, with the access token laid over it where that is kept in memory only.
  var info: AuthInfo
  /// How long the access token may be used.
  var life: TokenLife
  /// Whether the session could not be confirmed: no usable access token was there when it was
  /// read, or the last refresh failed.
  var isStale: Bool

  var accessToken: AccessToken? { info.session.accessToken }
  var refreshToken: Secret? { info.session.refreshToken }
}

/// An access token that this process itself received, and what it knows more than the store.
struct ReceivedToken: Equatable, Sendable {
  var generation: UInt64
  var token: AccessToken
  var life: TokenLife
  var expiresAt: Date?

  /// Adds the token to what a store held.
  func overlay(_ info: AuthInfo) -> AuthInfo {
    var copy = info
    copy.session.accessToken = token
    copy.accessTokenExpiresAt = expiresAt
    copy.accessTokenLifetime = life.lifetime
    return copy
  }

  /// Reads the life of a token that has just come.
  init(
    generation: UInt64,
    token: AccessToken,
    expiresIn: Double?,
    clock: ServerClock,
    at moment: Moment
  ) {
    self.generation = generation
    self.token = token
    life = TokenLife(received: token, expiresIn: expiresIn, clock: clock, at: moment)
    let now = clock.now(at: moment.monotonic)
    if let issued = token.issuedAt?.timeIntervalSince1970,
      (issued - now).magnitude > ReceivedToken.tolerance
    {
      // The server's clock and its tokens' disagree. Whoever reads the expiry from the store goes
      // by the former, and would refresh at every start (R12).
      if case .measured(let end) = life.end {
        expiresAt = Date(timeIntervalSince1970: clock.now(at: end))
      }
      return
    }
    expiresAt =
      token.expiresAt ?? expiresIn.map { Date(timeIntervalSince1970: now + min($0, 3.2e9)) }
  }

  /// How far a token's `iat` may be from the server's `Date`, in seconds, before one of them lies.
  private static let tolerance = 600.0
}
