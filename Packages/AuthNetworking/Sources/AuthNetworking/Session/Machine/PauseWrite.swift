internal import SecureStorage
internal import SessionModels

/// The write that tells other processes how long the server wants to be left alone (R12).
struct PauseWrite: Equatable, Sendable {
  /// The session's generation.
  var generation: UInt64
  /// The token whose attempt is to be paused.
  var presented: Secret
  /// For how long.
  var pause: RefreshPause
  /// What waiters get.
  var error: AuthError

  /// The record with the pause in it, or nil where the attempt is not open any more.
  func change(_ record: SessionRecord) -> SessionRecord? {
    guard record.generation == generation,
      record.attempt?.fingerprint == SecretFingerprint(of: presented)
    else { return nil }
    var copy = record
    copy.attempt?.pause = pause
    return copy
  }
}

extension RefreshPause {
  /// The longest time that is obeyed, and that a clock which was set can cost.
  static let longest = RefreshBackoff().retryAfterCap

  /// The pause that an answer asks for; nil where it asks for none.
  init?(after error: AuthError, at wall: Double) {
    guard let wait = error.retryAfter, wait > .zero else { return nil }
    self.init(
      since: wall,
      until: wall + min(wait, RefreshPause.longest).inSeconds,
      status: error.status
    )
  }

  /// What is left of it; nil where it is over, or the device's clock was set back meanwhile.
  func left(at wall: Double) -> Duration? {
    guard wall >= since - 1, wall < until else { return nil }
    return min(Duration(clampedSeconds: until - wall), RefreshPause.longest)
  }

  /// What callers get meanwhile.
  func error(left: Duration) -> AuthError {
    AuthError(
      status == 429 ? .rateLimited : .server,
      "The server has asked for no refresh just now",
      status: status,
      retryAfter: left
    )
  }
}
