internal import SecureStorage
internal import SessionModels

/// A session that takes another's place in the store, and what becomes of the two at the server
/// where the store cannot say which of them it has.
///
/// A commit that fails may be stored all the same, also where a read does not show it yet: what
/// the disk took is replayed at the next start. So until a write has succeeded, which makes
/// certain what all writes before it became, neither session is revoked: the one that is stored
/// would end with its own tokens refused.
struct SessionSuccession: Equatable, Sendable {
  /// The generation that was to be replaced; nil where it could not be read.
  var oldGeneration: UInt64?
  /// What was to be replaced; nil where nobody was signed in.
  var old: AuthInfo?
  /// The generation of what was to be stored.
  var newGeneration: UInt64
  /// What was to be stored, with the access token where only the memory has it.
  var new: AuthInfo

  /// Whose session a record is.
  enum Holder: Hashable, Sendable {
    case new, old
    /// Somebody has signed in or out since.
    case another
    /// One of the two, and nothing tells which: both have been refreshed.
    case unclear
  }

  /// Whose session a record is.
  func holder(of record: SessionRecord) -> Holder {
    guard newGeneration == oldGeneration else {
      if record.generation == newGeneration { return .new }
      return record.generation == oldGeneration ? .old : .another
    }
    guard record.generation == newGeneration, let info = record.authInfo else { return .another }
    if info.lastingToken == new.lastingToken { return .new }
    if info.lastingToken == old?.lastingToken { return .old }
    guard new.authenticatedAt != old?.authenticatedAt else { return .unclear }
    return info.authenticatedAt == new.authenticatedAt ? .new : .old
  }

  /// The record once more, so that it is certain what is stored; nil where neither session is.
  func confirmation(_ record: SessionRecord) -> SessionRecord? {
    holder(of: record) == .another ? nil : record
  }

  /// What to revoke at the server once a write has left this record.
  func toRevoke(leaving record: SessionRecord) -> [AuthInfo] {
    switch holder(of: record) {
    case .new: old.map { [$0] } ?? []
    // Whoever came since has revoked what it found in the store.
    case .old, .another: [new]
    case .unclear: []
    }
  }
}

extension AuthInfo {
  /// What the session is continued with: the refresh token, or in the opaque model the session id.
  fileprivate var lastingToken: Secret? {
    session.refreshToken ?? session.accessToken?.secret
  }
}
