internal import SecureStorage
internal import SessionModels

/// The write that ends a session, provided that the store still holds what was refused (R5).
struct SessionEnd: Equatable, Sendable {
  /// The generation whose token was refused.
  var generation: UInt64
  /// The refused token: the refresh token, or in the opaque model the session id.
  var refused: Secret
  /// Why it ends.
  var reason: SignOutReason
  /// The generation of the time after.
  var nextGeneration: UInt64
  /// Whether nothing of the session is kept at rest, so that the store has only its generation.
  var isVolatile = false
  /// What waiters get.
  var error: AuthError

  /// The signed-out record, or nil where another token is stored by now.
  func change(_ record: SessionRecord) -> SessionRecord? {
    guard record.generation == generation else { return nil }
    guard let session = record.authInfo?.session else { return isVolatile ? signedOutRecord : nil }
    return (session.refreshToken ?? session.accessToken?.secret) == refused ? signedOutRecord : nil
  }

  /// Whether a record is what ``change(_:)`` made.
  func isStored(in record: SessionRecord) -> Bool { record == signedOutRecord }

  /// The record of the time after.
  var signedOutRecord: SessionRecord {
    SessionRecord(generation: nextGeneration, authInfo: nil, signOutReason: reason)
  }
}
