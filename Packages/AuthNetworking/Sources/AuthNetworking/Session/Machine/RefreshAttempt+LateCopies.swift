internal import SecureStorage

// R2: a request that nobody waits for any more (its process was killed, its time was over) may
// reach the server after the resend was answered. Where that answer brought no new refresh token,
// the late one spends the stored token, which can then be presented under their common id only:
// under another one it is a reuse, and ends the session (R5).
extension RefreshAttempt {
  /// For how long a request is taken to be on its way at most.
  ///
  /// Longer than systems and proxies hold on to what a dead process has sent, and shorter than most
  /// access tokens live, so that as a rule one more refresh has the id of the last one.
  static let copyLifetime = Duration.seconds(10 * 60)

  /// The attempt as it is before its token is sent once more.
  func sentAgain(at serverNow: Double) -> RefreshAttempt {
    var copy = self
    // What has no answer may have been sent a moment ago. No more is waited for where the clock was
    // set back meanwhile.
    let latest = serverNow + RefreshAttempt.copyLifetime.inSeconds
    let known = isAnswered ? lateCopies?.until : nil
    copy.lateCopies = LateCopies(until: min(known ?? latest, latest), isAnswered: false)
    return copy
  }

  /// What is left of the attempt after an answer that brought no new refresh token; nil where
  /// nothing of it can be on its way.
  func answered(at serverNow: Double) -> RefreshAttempt? {
    guard let lateCopies, serverNow < lateCopies.until else { return nil }
    var copy = self
    copy.pause = nil
    copy.lateCopies?.isAnswered = true
    return copy
  }
}
