internal import SessionModels

/// Tells the answers that end a session from those that only did not help (R5).
enum RefreshRefusal {
  /// Why the session is over, or nil where the answer does not say so.
  ///
  /// A 401 says so whatever its body; a 400 or 403 only with a code of the allow-list.
  static func reason(status: Int, body: JSONValue) -> SignOutReason? {
    let codes = FailureCode.all(in: body)
    let isRefused =
      switch status {
      case 401: true
      case 400, 403: codes.contains(where: refusals.contains)
      default: false
      }
    guard isRefused else { return nil }
    return codes.lazy.compactMap { reasons[$0] }.first ?? reason(in: text(of: body))
  }

  private static let reasons: [String: SignOutReason] = [
    "REFRESH_TOKEN_REUSED": .reuseDetected,
    "REFRESH_TOKEN_REUSE": .reuseDetected,
    "REUSE_DETECTED": .reuseDetected,
    "TOKEN_REUSED": .reuseDetected,
    "TOKEN_REUSE": .reuseDetected,
    "TOKEN_REUSE_DETECTED": .reuseDetected,
    "REFRESH_TOKEN_EXPIRED": .refreshExpired,
    "REFRESH_EXPIRED": .refreshExpired,
    "SESSION_EXPIRED": .refreshExpired,
    "DEVICE_MISMATCH": .deviceMismatch,
    "REFRESH_TOKEN_REVOKED": .revoked,
    "SESSION_REVOKED": .revoked,
  ]

  private static let refusals =
    Set(reasons.keys).union(["INVALID_GRANT", "INVALID_REFRESH_TOKEN", "REFRESH_TOKEN_INVALID"])

  private static func text(of body: JSONValue) -> String {
    let texts = [
      body["code"], body["error"], body["message"], body["error_description"],
      body["error"]?["message"], body["error"]?["code"],
    ]
    return texts.compactMap { $0?.string?.lowercased() }
      .filter { FailureCode.normalized($0) != "INVALID_GRANT" }
      .joined(separator: " ")
  }

  /// The reason in words; `invalid or expired` tells nothing, and is taken for a revocation.
  private static func reason(in text: String) -> SignOutReason {
    if ["reuse", "already used", "already been used"].contains(where: text.contains) {
      return .reuseDetected
    }
    // "Signed in on another device" is a revocation.
    let mismatches = ["mismatch", "not match", "different", "wrong", "belongs to"]
    if text.contains("device"), mismatches.contains(where: text.contains) {
      return .deviceMismatch
    }
    let isVague = text.contains("invalid") || text.contains("revoked")
    return text.contains("expired") && !isVague ? .refreshExpired : .revoked
  }
}
