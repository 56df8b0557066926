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
  ///
  /// `mayBeOld` says that it came in answer to an attempt that was sent before.
  init(
    generation: UInt64,
    token: AccessToken,
    expiresIn: Double?,
    mayBeOld: Bool = false,
    clock: ServerClock,
    at moment: Moment
  ) {
    self.generation = generation
    self.token = token
    life = TokenLife(
      received: token,
      expiresIn: expiresIn,
      mayBeOld: mayBeOld,
      clock: clock,
      at: moment
    )
    // Whoever reads the expiry from the store judges as this process does. By the token's own,
    // where that is another one, each start would refresh (R12), or use it when it is spent (R11).
    guard case .measured(let end) = life.end else { return }
    let seconds = clock.now(at: end)
    expiresAt = Date(timeIntervalSince1970: seconds)
    if let own = token.expiresAt, (own.timeIntervalSince1970 - seconds).magnitude < 1 {
      expiresAt = own
    }
  }
}
