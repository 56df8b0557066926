public import SessionModels

/// What an app can see of the session, always as a whole.
public enum SessionState: Hashable, Sendable {
  /// Not read yet, or the vault is locked: nothing is sent and nothing is lost.
  case unknown
  /// Nobody is signed in, and why.
  case signedOut(SignOutReason)
  /// Somebody is signed in.
  case signedIn(Freshness)

  /// Whether the session could be confirmed when last tried.
  public enum Freshness: Hashable, Sendable {
    /// A usable access token is there.
    case fresh
    /// The server could not be asked, or refused for a moment; the session is kept (R5).
    case stale
  }

  /// Whether somebody is signed in.
  public var isSignedIn: Bool {
    if case .signedIn = self { return true }
    return false
  }
}

extension SessionState: CustomStringConvertible {
  /// The state in words, such as `signed out, revoked`.
  public var description: String {
    switch self {
    case .unknown: "not known yet"
    case .signedOut(let reason): "signed out, \(reason)"
    case .signedIn(.fresh): "signed in"
    case .signedIn(.stale): "signed in, but could not be refreshed"
    }
  }
}
