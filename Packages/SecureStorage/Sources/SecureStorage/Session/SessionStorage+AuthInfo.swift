public import SessionModels

extension SessionStorage {
  /// Who is signed in, now and after each change; nil while nobody is.
  ///
  /// A failure to read is an element, not nil and not the end (R14). Changes that leave the
  /// answer as it was (an attempt record, say) are not told.
  ///
  /// - Returns: A stream that starts with the present state (R13).
  public func observeAuthInfo() -> AsyncStream<Result<AuthInfo?, StorageError>> {
    let records = records()
    let (stream, continuation) = AsyncStream<Result<AuthInfo?, StorageError>>.makeStream()
    let forwarding = Task {
      var last: Result<AuthInfo?, StorageError>?
      for await record in records {
        let next = record.map { $0.authInfo }
        if next != last { continuation.yield(next) }
        last = next
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in forwarding.cancel() }
    return stream
  }

  /// Stores who is signed in, or with nil signs out and overwrites what was stored.
  ///
  /// Another user, or somebody where nobody was, begins a new generation; the same user's new
  /// tokens do not.
  ///
  /// - Parameter authInfo: Who is signed in.
  /// - Throws: ``StorageError``; nothing was written then.
  public func setAuthInfo(_ authInfo: AuthInfo?) async throws(StorageError) {
    guard let authInfo else {
      try await wipe(reason: .userRequested)
      return
    }
    let fresh = UInt64.random(in: 1 ... .max)
    try await update { old in
      let isSameUser = old.authInfo?.session.userID == authInfo.session.userID
      return SessionRecord(
        generation: isSameUser ? old.generation : fresh,
        authInfo: authInfo,
        signOutReason: old.signOutReason,
        attempt: isSameUser ? old.attempt : nil
      )
    }
  }
}
