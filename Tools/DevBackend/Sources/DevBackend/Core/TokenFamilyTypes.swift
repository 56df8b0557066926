/// A refresh token's keyed hash, as hexadecimal text.
typealias TokenHash = String

extension TokenFamily {
  /// A refresh token that may still be spent.
  struct LiveToken: Equatable, Sendable {
    let hash: TokenHash
    /// When it was made, in milliseconds since 1970.
    let issuedAt: Int64
    /// From this instant on it is refused, in milliseconds since 1970.
    let expiresAt: Int64
  }

  /// A refresh token that was spent.
  struct SpentToken: Equatable, Sendable {
    let hash: TokenHash
    /// The generation that it belonged to.
    let generation: Int
    /// When, in milliseconds since 1970.
    let spentAt: Int64
    /// The `X-Request-Id` of the request that spent it; nil where that had none.
    let attemptID: String?
  }

  /// One refresh request.
  struct Presentation: Equatable, Sendable {
    let token: TokenHash
    let deviceID: String?
    /// `X-Request-Id`, where the client sent one.
    let attemptID: String?
    /// By the server's clock, in milliseconds since 1970.
    let now: Int64
  }

  /// Lifetimes, and how far a reuse reaches.
  struct Policy: Equatable, Sendable {
    /// How long a refresh token lives, in milliseconds.
    var lifetime: Int64
    /// For how long after a rotation a second request is taken for a concurrent one.
    var grace: Int64
    var reuseScope: ReuseScope
  }

  /// What a detected reuse ends.
  enum ReuseScope: String, Equatable, Sendable {
    /// The session (SkyConnect, seed 004).
    case family
    /// All of the user's sessions (KSN, seed 002).
    case user
  }

  /// What a refresh request is answered with.
  enum Decision: Equatable, Sendable {
    /// A new pair; every token of the former generation is spent.
    case rotated
    /// A new pair beside the one whose answer was lost.
    case resent
    /// 429, and nothing changes: the attempt has many working pairs already. In milliseconds.
    case tooMany(retryAfter: Int64)
    /// An access token only: another request has just rotated.
    case grace
    /// 401, and nothing changes.
    case refused(Refusal)
    /// 401, and this session (or all of the user's) is over.
    case revoked(RevocationReason, ReuseScope)
  }

  /// Why a refresh is refused without any change.
  enum Refusal: Equatable, Sendable {
    case unknownToken
    case expired
    case revoked(RevocationReason)
  }
}

/// Why a session ended on the server.
public enum RevocationReason: String, Equatable, Sendable {
  /// Its user logged out.
  case loggedOut = "logged_out"
  /// `DELETE /sessions/{id}`, or an operator.
  case revoked = "session_revoked"
  /// A refresh token that was spent came again after the grace window.
  case reuseDetected = "reuse_detected"
  /// A refresh token came from another device.
  case deviceMismatch = "device_mismatch"
}
