internal import Synchronization

extension SecureStore {
  /// So many values a transaction: other writers wait for as long as it takes, some 70 ms.
  private static let rekeyBatch = 8192

  /// Changes every key: a fresh data key for all values, then a fresh root key in the vault, or
  /// a move to another vault.
  ///
  /// Values are sealed anew in small transactions while readers and writers of all processes go
  /// on. A crash anywhere leaves every value readable; calling it again finishes the work.
  ///
  /// - Parameters:
  ///   - newVault: Where the root key goes; nil keeps the vault.
  ///   - cipher: What seals from now on; nil keeps the cipher.
  ///   - progress: Called now and then, on a thread of the store's.
  /// - Returns: How many values were sealed anew.
  /// - Throws: `damaged` or `tampered` where a value cannot be opened (the old key is kept then:
  ///   verify the store, and remove what is damaged), `cipherUnavailable` and `invalidInput` for
  ///   a cipher that is not to be had here, `busy` where another process changes the
  ///   key, and what the vaults throw.
  public func rekey(
    to newVault: (any KeyVault)? = nil,
    cipher: CipherName? = nil,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws(StorageError) -> Int {
    if let cipher { try options.suite.check(cipher) }
    // Asked first: a vault that does not answer stops it before anything is changed.
    let target = try await newVault.prepared(otherThan: vaultName, options.random)
    let activeID = try await addDataKey(cipher)
    let count = try await resealAll(progress)
    try await dropOldKeys(activeID)
    if let target {
      try await move(to: target)
    } else {
      try await changeRootKey()
    }
    return count
  }

  private func addDataKey(_ cipher: CipherName?) async throws(StorageError) -> UInt32 {
    try await waitingTransaction { transaction throws(StorageError) in
      let sealer = transaction.unlocked.sealer
      let keyring = sealer.keyring.rotated(
        cipher: cipher ?? sealer.cipher.name,
        random: sealer.random
      )
      try transaction.setKeyring(keyring)
      return keyring.activeID
    }
  }

  private func resealAll(
    _ progress: @Sendable (StoreProgress) -> Void
  ) async throws(StorageError) -> Int {
    var total = 0
    for namespace in StoreNamespace.allCases { total += try count(in: namespace) }
    var done = 0
    for namespace in StoreNamespace.allCases {
      var place: UInt32? = 0
      while let from = place {
        let step = try await waitingTransaction { transaction throws(StorageError) in
          try transaction.reseal(in: namespace, from: from, most: SecureStore.rekeyBatch)
        }
        place = step.next
        done += step.count
        guard step.count > 0 else { continue }
        // Others may have added some meanwhile.
        progress(StoreProgress(done: min(done, total), total: total))
      }
    }
    return done
  }

  /// Whatever was written meanwhile was sealed with the new key, or its writer would not have
  /// got past the keyset: nothing needs the old ones any more once the lists are sealed anew.
  private func dropOldKeys(_ activeID: UInt32) async throws(StorageError) {
    try await waitingTransaction { transaction throws(StorageError) in
      for namespace in StoreNamespace.allCases { try transaction.resealList(of: namespace) }
      let keyring = transaction.unlocked.sealer.keyring
      guard keyring.activeID == activeID else {
        throw StorageError(
          .busy,
          "Another process is changing the key at the same time",
          advice: "Nothing is lost; try again."
        )
      }
      try transaction.setKeyring(keyring.withoutOldKeys())
      transaction.purge()
    }
  }

  private func changeRootKey() async throws(StorageError) {
    let next = RootKey.random(from: options.random)
    try await waitingTransaction { transaction throws(StorageError) in
      try transaction.prepareRootKey(next)
    }
    try await waitingTransaction { transaction throws(StorageError) in
      try transaction.commitRootKey(next)
      transaction.purge()
    }
  }

  private func move(to target: PreparedVault) async throws(StorageError) {
    let old = cache.withLock { $0.unlocked.vault }
    try await waitingTransaction { transaction throws(StorageError) in
      try transaction.adoptRootKey(target.root, target.vault)
      transaction.purge()
    }
    try await writing.run { () throws(StorageError) in
      do throws(StorageError) {
        try VaultCall.setRootKey(nil, in: old)
      } catch {
        throw StorageError(
          error.code,
          "The key was moved to \(target.vault.name), but \(old.name) still keeps the one "
            + "before: \(error.message)",
          advice: "It opens nothing any more; remove it there."
        )
      }
    }
  }
}

/// A vault that keeps a root key for a store that is about to move to it.
private struct PreparedVault: Sendable {
  let vault: any KeyVault
  let root: RootKey
}

extension (any KeyVault)? {
  /// The vault with a key; nil where it is none, or the one that the store already has.
  ///
  /// A key that it already keeps is used, not replaced: it may be another store's.
  fileprivate func prepared(
    otherThan name: VaultName,
    _ random: RandomSource
  ) async throws(StorageError) -> PreparedVault? {
    guard let vault = self, vault.name != name else { return nil }
    return try await BlockingQueue(label: "store.vault").run { () throws(StorageError) in
      if let existing = try VaultCall.rootKey(of: vault) {
        return PreparedVault(vault: vault, root: existing)
      }
      let root = RootKey.random(from: random)
      try VaultCall.setRootKey(root, in: vault)
      return PreparedVault(vault: vault, root: root)
    }
  }
}
