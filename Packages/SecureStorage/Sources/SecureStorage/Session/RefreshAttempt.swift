/// The attempt record of R3: durable before a refresh token is sent, gone with a conclusive answer.
public struct RefreshAttempt: Equatable, Sendable, Codable {
  /// The attempt's id, sent as `X-Request-Id` each time the token is presented.
  public var id: String
  /// Which token was, or will be, presented.
  public var fingerprint: SecretFingerprint

  /// An attempt from its parts.
  public init(id: String, fingerprint: SecretFingerprint) {
    self.id = id
    self.fingerprint = fingerprint
  }
}
