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
  /// What a tenth is taken of by whoever reads it from the store.
  private var lifetime: Double?

  /// What has brought it.
  enum Source: Sendable {
    case signIn
    case refresh
    /// A refresh that was sent before: the answer may be the first one again.
    case resentRefresh
  }

  /// Adds the token to what a store held.
  func overlay(_ info: AuthInfo) -> AuthInfo {
    var copy = info
    copy.session.accessToken = token
    copy.accessTokenExpiresAt = expiresAt
    copy.accessTokenLifetime = lifetime
    return copy
  }

  /// Reads the life of a token that has just come.
  init(
    generation: UInt64,
    token: AccessToken,
    expiresIn: Double?,
    from source: Source,
    clock: ServerClock,
    at moment: Moment
  ) {
    self.generation = generation
    self.token = token
    life = TokenLife(
      received: token,
      expiresIn: expiresIn,
      mayBeOld: source == .resentRefresh,
      clock: clock,
      at: moment
    )
    // Whoever reads the expiry from the store judges as this process does. By the token's own,
    // where that is another one, each start would refresh (R12), or use it when it is spent (R11).
    lifetime = life.lifetime
    if case .measured(let end) = life.end {
      let seconds = clock.now(at: end)
      expiresAt = Date(timeIntervalSince1970: seconds)
      if let own = token.expiresAt, (own.timeIntervalSince1970 - seconds).magnitude < 1 {
        expiresAt = own
      }
    }
    guard source == .signIn, let own = token.expiresAt, expiresAt.map({ own <= $0 }) ?? true,
      ReceivedToken.agrees(token, with: clock.now(at: moment.monotonic))
    else { return }
    // A sign-in is no refresh: where its token has little left or nothing, the next process
    // refreshes it ahead of time (R11), and what that brings is judged as above (R12).
    expiresAt = own
    lifetime = TokenLife.span(of: token) ?? expiresIn ?? lifetime
  }

  /// Whether a token can be as old as it says by the server's clock.
  private static func agrees(_ token: AccessToken, with now: Double) -> Bool {
    guard let age = token.issuedAt.map({ now - $0.timeIntervalSince1970 }) else { return true }
    let isSpent = token.expiresAt.map { $0.timeIntervalSince1970 <= now } ?? false
    return age >= -tolerance && (!isSpent || age <= tolerance)
  }

  /// How far a spent token's `iat` may be from the server's `Date`, in seconds, before one of them
  /// lies.
  private static let tolerance = 600.0
}
