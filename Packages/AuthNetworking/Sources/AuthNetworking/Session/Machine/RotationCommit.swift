#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import SecureStorage
internal import SessionModels

/// The second write of a refresh: the rotated tokens in one atomic record (R3), provided that
/// the session is still the same and still holds the token that was spent (R4).
struct RotationCommit: Equatable, Sendable {
  /// The token that was presented.
  var presented: Secret
  /// Under which id.
  var attemptID: String
  /// The new access token; its generation is the session's.
  var received: ReceivedToken
  /// The new refresh token; nil where the answer had none, and the stored one stays.
  var refreshToken: Secret?
  /// When the answer came, by the server's clock; nil where the attempt is over, whatever may still
  /// be on its way of it.
  var answeredAt: Double?
  /// The session as it was when the token was presented.
  var base: AuthInfo
  /// Whether the access token is left out of what is stored.
  var keepsAccessTokenInMemory: Bool
  /// The offset to the server's clock to store beside it.
  var serverClockOffset: Double?
  /// The server's clock by the time that the device has been running, to store beside it.
  var serverClockAnchor: ServerClockAnchor?

  /// The record with the new tokens and the attempt closed, or nil where another session, or
  /// another token of this one, is stored by now.
  ///
  /// Without a new refresh token the attempt stays for what may still arrive of it, and one of
  /// another id, that was sent since, stays as it is.
  ///
  /// Written already, it is written again: a commit that failed may be stored and not be durable.
  func change(_ record: SessionRecord) -> SessionRecord? {
    if isStored(in: record) { return record }
    guard record.generation == received.generation, var info = record.authInfo,
      info.session.refreshToken == presented
    else { return nil }
    info = received.overlay(info)
    info.session.refreshToken = refreshToken ?? presented
    var copy = record
    copy.authInfo = keepsAccessTokenInMemory ? info.withoutAccessToken : info
    copy.attempt = isRotation ? nil : record.attempt.flatMap(remainder)
    copy.serverClockOffset = serverClockOffset ?? record.serverClockOffset
    copy.serverClockAnchor = serverClockAnchor ?? record.serverClockAnchor
    return copy
  }

  /// Whether a record is what ``change(_:)`` made.
  func isStored(in record: SessionRecord) -> Bool {
    guard record.generation == received.generation, let session = record.authInfo?.session else {
      return false
    }
    let isOpen = record.attempt.map { $0.id == attemptID && !$0.isAnswered } ?? false
    return session.refreshToken == refreshToken ?? presented && !isOpen
      && (keepsAccessTokenInMemory || session.accessToken == received.token)
  }

  /// Whether the presented token is spent.
  private var isRotation: Bool { refreshToken.map { $0 != presented } ?? false }

  private func remainder(of attempt: RefreshAttempt) -> RefreshAttempt? {
    guard attempt.id == attemptID else { return attempt }
    return answeredAt.flatMap { attempt.answered(at: $0) }
  }

  /// The rotated session, to revoke it where it could not be stored.
  var orphan: AuthInfo {
    var info = received.overlay(base)
    info.session.refreshToken = refreshToken ?? presented
    return info
  }
}

extension AuthInfo {
  /// The same without the access token and what is known of it.
  var withoutAccessToken: AuthInfo {
    var copy = self
    copy.session.accessToken = nil
    copy.accessTokenExpiresAt = nil
    copy.accessTokenLifetime = nil
    return copy
  }
}
