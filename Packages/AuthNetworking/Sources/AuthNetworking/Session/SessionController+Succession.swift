internal import SecureStorage
internal import SessionModels
internal import Synchronization

// Commits of which nobody knows whether they are stored.
extension SessionController {
  /// Writes, and where that fails once more: the tokens exist nowhere else, and what a failed
  /// commit became is certain once another one has succeeded.
  ///
  /// The change has to know its own record, and to return it.
  func updateTwice(
    _ change: @escaping @Sendable (SessionRecord) -> SessionRecord?
  ) async -> Result<SessionRecord, StorageError> {
    let first = await update(change)
    guard case .failure = first else { return first }
    return await update(change)
  }

  /// What a write has left, or where it failed what a read shows: that is used, though only a write
  /// that succeeds makes it certain.
  func found(
    after result: Result<SessionRecord, StorageError>
  ) -> Result<SessionRecord, StorageError> {
    result.flatMapError { _ in readRecord() }
  }

  /// The error of a new session that is certainly not stored, and is revoked.
  func refusal(of info: AuthInfo, by error: StorageError) -> AuthError {
    revokeLater(info)
    return AuthError(error)
  }

  /// Takes a new session for the present one where a read shows it after its commit has failed, and
  /// finds out later whether it is stored.
  ///
  /// - Throws: ``AuthError``: `storage` where no read shows it, `notSignedIn` where somebody has
  ///   signed out meanwhile.
  func settle(
    _ succession: SessionSuccession,
    isShown: Bool,
    after error: StorageError,
    signOutsBefore: Int
  ) throws(AuthError) {
    settleLater(succession)
    guard isShown else { throw .undecided(error) }
    guard signOuts.load(ordering: .acquiring) == signOutsBefore else { throw .sessionChanged }
    note(.warning, "The session is stored, but perhaps not for good yet: \(error)")
  }

  /// Finds out what is stored, as soon as the store can be written, and revokes the other session.
  ///
  /// Until then both live on at the server, and where the process ends before, for good: a session
  /// too many is the smaller harm.
  private func settleLater(_ succession: SessionSuccession) {
    Task.detached { [weak self, clock] in
      var wait = Duration.seconds(1)
      while true {
        guard (try? await clock.sleep(for: wait)) != nil, let self else { return }
        if case .success(let record) = await update({ succession.confirmation($0) }) {
          readStore()
          for info in succession.toRevoke(leaving: record) { revokeLater(info) }
          return
        }
        wait = min(wait * 2, .seconds(300))
      }
    }
  }
}

extension AuthError {
  /// A store that failed over a new session, and cannot say whether it has it.
  ///
  /// Nor can its error, whose advice is meant for a write that has changed nothing.
  static func undecided(_ error: StorageError) -> AuthError {
    let advice =
      "Whether the new session was stored shows when the store can be written again; until then "
      + "neither it nor the one before is revoked. "
      + error.advice.replacing("Nothing was changed.", with: "")
    return AuthError(
      StorageError(
        error.code,
        error.message,
        advice: advice.split(separator: " ").joined(separator: " ")
      )
    )
  }
}
