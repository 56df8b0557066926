#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import SecureStorage
internal import SessionModels

/// The first write of a refresh, inside the lock: reads the store last, and makes the attempt
/// durable before its token is sent (R2, R3).
struct RefreshPlan: Equatable, Sendable {
  /// The generation that the refresh is for.
  var generation: UInt64
  /// The access token that is to be replaced.
  var knownAccessToken: AccessToken?
  /// The server's clock, to tell whether a token that another process stored is of use.
  var serverNow: Double
  /// The id that a fresh attempt gets.
  var attemptID: String
  /// The device's clock, to tell whether a pause that another process was told is over.
  var wallNow: Double
  /// What to note of a refresh that a 401 caused.
  var forced: ForcedRefresh?

  /// What the store says is to be done.
  enum Decision: Equatable, Sendable {
    /// Another session is stored, or none.
    case gone
    /// Another process has stored a newer access token: nothing is sent.
    case adopt
    /// There is nothing to refresh with.
    case noRefreshToken
    /// The server has asked for no refresh just now.
    case paused(RefreshPause, left: Duration)
    /// Send this token under this id. A resend is of an attempt that has no answer yet, or of which
    /// something may still be on its way.
    case present(Secret, attemptID: String, isResend: Bool)
  }

  /// The record with the attempt in it, or nil where nothing is to be written.
  func change(_ record: SessionRecord) -> SessionRecord? {
    guard case .present(let token, let id, let isResend) = decision(on: record) else { return nil }
    var copy = record
    if isResend {
      copy.attempt = record.attempt?.sentAgain(at: serverNow)
    } else {
      copy.attempt = RefreshAttempt(id: id, fingerprint: SecretFingerprint(of: token))
    }
    if let forced, !isResend || record.attempt?.isAnswered == true {
      let recent = RefreshBudget.recent(record.forcedRefreshes, at: wallNow) + [forced]
      copy.forcedRefreshes = Array(recent.suffix(RefreshBudget.limit))
    }
    return copy
  }

  /// What to do about a record, before or after ``change(_:)``.
  func decision(on record: SessionRecord) -> Decision {
    guard record.generation == generation, let info = record.authInfo else { return .gone }
    guard let token = info.session.refreshToken else { return .noRefreshToken }
    if let stored = info.session.accessToken, stored != knownAccessToken, isUsable(info) {
      return .adopt
    }
    if let attempt = record.attempt, attempt.fingerprint == SecretFingerprint(of: token) {
      // The one that was written just now has none.
      if let pause = attempt.pause, let left = pause.left(at: wallNow) {
        return .paused(pause, left: left)
      }
      return .present(token, attemptID: attempt.id, isResend: attempt.id != attemptID)
    }
    return .present(token, attemptID: attemptID, isResend: false)
  }

  private func isUsable(_ info: AuthInfo) -> Bool {
    info.accessTokenExpiresAt.map { $0.timeIntervalSince1970 > serverNow } ?? true
  }
}
