internal import Synchronization

/// A move of the root key to another vault.
///
/// The new vault gets its key, the keyset is sealed with it and the old vault forgets its own in
/// one turn of the writers' lock, which all processes take: whoever comes second finds the store in
/// the new vault, and no key is replaced or removed that a keyset needs.
extension SecureStore {
  private static let moveAttempts = 8

  /// What became of a move.
  enum Move {
    /// The store is in that vault, by now or from the beginning.
    case notNeeded
    /// It is done; and what the old vault said, where it did not forget its key.
    case done(StorageError?)
  }

  /// Moves the root key.
  ///
  /// - Throws: what the vaults throw; the store stays where it was then, unless the message says
  ///   otherwise.
  func move(to target: any KeyVault) async throws(StorageError) -> Move {
    try await writing.run { () throws(StorageError) in try self.followKey() }
    guard target.name != vaultName else { return .notNeeded }
    // A vault that does not answer stops it before anything is written.
    try await BlockingQueue(label: "store.vault").run { () throws(StorageError) in
      try VaultCall.checkUsable(target)
    }
    do throws(StorageError) {
      for _ in 0..<SecureStore.moveAttempts {
        try await waitingTransaction { transaction throws(StorageError) in
          try transaction.announceMove(to: target)
        }
        if let move = try await moveAnnounced(to: target) { return move }
      }
    } catch {
      // What the new vault got is of no use. Where this fails, the next open does it.
      try? await writing.run { () throws(StorageError) in try self.finishKeyChange([target]) }
      throw error
    }
    throw .changedByOthers
  }

  /// - Returns: nil where another process has cleared the announcement away.
  private func moveAnnounced(to target: any KeyVault) async throws(StorageError) -> Move? {
    let root = RootKey.random(from: options.random)
    let forgotten = Forgotten()
    let step = try await waitingTransaction { transaction throws(StorageError) in
      try transaction.move(to: target, root, forgotten)
    }
    switch step {
    case .there: return .notNeeded
    case .unannounced: return nil
    case .moved(let old):
      if let failure = forgotten.failure {
        return .done(SecureStore.notForgotten(failure, old, target))
      }
      // What is left on disk of the old keyset goes with it, or else with the next change.
      try? await waitingTransaction { transaction throws(StorageError) in
        try transaction.settleLeftover(old.name)
      }
      return .done(nil)
    }
  }

  private static func notForgotten(
    _ failure: StorageError,
    _ old: any KeyVault,
    _ target: any KeyVault
  ) -> StorageError {
    StorageError(
      failure.code,
      "The key was moved to \(target.name), but \(old.name) still keeps the one before: "
        + failure.message,
      advice: "That one opens nothing any more. It goes when the store is next opened and "
        + "\(old.name) can be reached."
    )
  }

  /// Brings to its end what a process left that was killed while it changed or moved the root key.
  ///
  /// - Parameter known: Vaults at hand, besides those that the store's opener gives.
  /// - Throws: `busy`, `io`, and what the vault in use throws.
  func finishKeyChange(_ known: [any KeyVault] = []) throws(StorageError) {
    try commit { transaction throws(StorageError) in
      try transaction.finishRootKey()
      try transaction.clearLeftovers(known)
    }
  }

  /// What the old vault said when it was to forget its key.
  final class Forgotten: Sendable {
    private let state = Mutex<StorageError?>(nil)

    var failure: StorageError? { state.withLock { $0 } }

    func failed(_ error: StorageError) { state.withLock { $0 = error } }
  }
}

extension StorageError {
  static var changedByOthers: StorageError {
    StorageError(
      .busy,
      "Another process is changing the key at the same time",
      advice: "Nothing is lost; try again."
    )
  }
}
