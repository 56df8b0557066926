internal import AuthNetworking

/// Decides whether a realtime endpoint gets the session's token (R8).
enum RealtimeTrust {
  /// Whether an endpoint gets the token.
  ///
  /// The one named at sign-in does, and no other host or port that is given later. Where none was
  /// named then, one on the backend's own host does: who owns the host has the token already.
  static func isTrusted(_ endpoint: HTTPURL, remembered: HTTPURL?, backend: HTTPURL) -> Bool {
    if let remembered { return endpoint.origin == remembered.origin }
    let isDowngrade = backend.origin.scheme == "https" && endpoint.origin.scheme != "https"
    return endpoint.origin.host == backend.origin.host && !isDowngrade
  }
}
