internal import SecureStorage
internal import SessionModels

/// The sessions that a sign-out has ended, from all that is known of them.
struct EndedSessions: Equatable, Sendable {
  /// What this process held.
  var held: HeldSession?
  /// The rotation that this process could not store yet.
  var unsaved: RotationCommit?
  /// What was removed from the store, or was last read there; nil where it could not be read.
  var stored: SessionRecord?

  /// What to revoke at the server: the newest tokens of each session.
  ///
  /// The store knows best, since another process may have refreshed, or signed in, since this one
  /// looked. What was held of a session that another one has replaced is not among them: whoever
  /// replaced it revokes it, and its refresh token may be spent (R2).
  var toRevoke: [AuthInfo] {
    guard let stored, var info = stored.authInfo else {
      return [unsaved?.orphan ?? held?.info].compactMap { $0 }
    }
    if info.session.accessToken == nil, held?.generation == stored.generation {
      info.session.accessToken = held?.accessToken
    }
    guard let unsaved else { return [info] }
    guard unsaved.received.generation == stored.generation else { return [info, unsaved.orphan] }
    return info.session.refreshToken == unsaved.presented ? [unsaved.orphan] : [info]
  }
}

extension SessionMachine {
  /// What it knows of the session, for its end; the store is not asked.
  var heldToTheEnd: EndedSessions {
    guard case .rotation(let commit) = unsaved else { return EndedSessions(held: session) }
    return EndedSessions(held: session, unsaved: commit)
  }
}
