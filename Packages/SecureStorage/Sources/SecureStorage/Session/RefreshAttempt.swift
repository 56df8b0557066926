/// The attempt record of R3: durable before a refresh token is sent, gone with a conclusive answer.
///
/// What was sent more than once may arrive after its answer: where that answer brought no new
/// refresh token, the record stays for as long, so that the token goes out under no other id.
public struct RefreshAttempt: Equatable, Sendable, Codable {
  /// What may still be on its way of an attempt that was sent more than once.
  public struct LateCopies: Equatable, Sendable, Codable {
    /// Until when one may arrive, in the server's seconds since 1970.
    public var until: Double
    /// Whether what was sent last has its answer, and no refresh waits for one.
    public var isAnswered: Bool

    /// What may be on its way, from its parts.
    public init(until: Double, isAnswered: Bool) {
      self.until = until
      self.isAnswered = isAnswered
    }
  }

  /// The attempt's id, sent as `X-Request-Id` each time the token is presented.
  public var id: String
  /// Which token was, or will be, presented.
  public var fingerprint: SecretFingerprint

  /// Before when the server does not want it again; nil where it did not say.
  public var pause: RefreshPause?
  /// What may still arrive of it; nil where it was sent once, or not yet.
  public var lateCopies: LateCopies?

  /// An attempt from its parts.
  public init(
    id: String,
    fingerprint: SecretFingerprint,
    pause: RefreshPause? = nil,
    lateCopies: LateCopies? = nil
  ) {
    self.id = id
    self.fingerprint = fingerprint
    self.pause = pause
    self.lateCopies = lateCopies
  }

  /// Whether it has its answer, and is kept only for what may still arrive of it.
  public var isAnswered: Bool { lateCopies?.isAnswered ?? false }
}
