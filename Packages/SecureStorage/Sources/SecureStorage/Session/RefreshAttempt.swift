/// The attempt record of R3: durable before a refresh token is sent, gone with a conclusive answer.
public struct RefreshAttempt: Equatable, Sendable, Codable {
  /// The attempt's id, sent as `X-Request-Id` each time the token is presented.
  public var id: String
  /// Which token was, or will be, presented.
  public var fingerprint: SecretFingerprint

  /// Before when the server does not want it again; nil where it did not say.
  public var pause: RefreshPause?

  /// An attempt from its parts.
  public init(id: String, fingerprint: SecretFingerprint, pause: RefreshPause? = nil) {
    self.id = id
    self.fingerprint = fingerprint
    self.pause = pause
  }
}
