internal import SessionModels

extension SignOutReason {
  /// The reason for people, to follow "signed out:" or "the session has ended:".
  var words: String {
    switch self {
    case .never: "nobody has signed in yet"
    case .userRequested: "the user signed out"
    case .revoked: "the server revoked the session"
    case .reuseDetected: "the server saw a spent refresh token again and took it for theft"
    case .refreshExpired: "the refresh token was too old"
    case .interruptedRefresh: "a refresh was interrupted, and its token was refused afterwards"
    case .keyLost: "the key of the store is gone for good"
    case .tampered: "what was stored was changed from outside"
    case .deviceMismatch: "the session belongs to another device"
    default: rawValue
    }
  }
}
