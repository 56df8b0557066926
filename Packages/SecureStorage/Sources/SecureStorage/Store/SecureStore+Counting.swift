internal import Synchronization

/// What keeps a store and its vault's counter together; see ``RollbackCounter``.
extension SecureStore {
  /// Writes an anchor and nothing else, and has the vault count.
  func anchorAnew() throws(StorageError) {
    try commit { transaction throws(StorageError) in
      transaction.mustAnchor = true
      try transaction.anchorWipe()
    }
    anchorAgain()
  }

  /// Makes the commit that a counter with another number than expected asks for.
  ///
  /// The commit before is durable: what fails here is made up for by the next one, or at the next
  /// open.
  func anchorAgain() {
    guard rollback.takeNeedsCommit() else { return }
    try? commit { transaction throws(StorageError) in
      transaction.mustAnchor = true
      transaction.isUrgent = true
    }
  }

  /// Has the vault count the last commits, which were not urgent; where it fails, the next open
  /// does so.
  func countBeforeClosing() {
    let unlocked = cache.withLock { $0.unlocked }
    guard let vault = unlocked.vault.counting, rollback.mayHaveUncounted else {
      return
    }
    try? engine.write { [rollback] writer throws(StorageError) in
      var unlocked = unlocked
      try unlocked.refresh(writer, askingVault: false)
      rollback.willClose(unlocked.anchorTag, vault, writer)
    }
  }

  /// Judges the anchor of a store that is being opened.
  ///
  /// - Parameters:
  ///   - anchor: Read after the counter.
  ///   - counter: Nil where the vault has none.
  /// - Returns: What is to be done once the store is there.
  /// - Throws: `tampered` where the store is older than its counter.
  static func judge(
    _ anchor: Anchor,
    _ counter: UInt64?
  ) throws(StorageError) -> RollbackCounter.Opening {
    let opening = RollbackCounter.opening(anchor: anchor.counter, counter: counter)
    if opening == .rolledBack { throw .rolledBack }
    return opening
  }
}
