internal import Synchronization

extension SecureStore {
  private static let rekeyBatch = 256

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
    try await transaction { transaction throws(StorageError) in
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
    var names: [(StoreNamespace, [KeyName])] = []
    for namespace in StoreNamespace.allCases {
      names.append((namespace, try keysInFileOrder(namespace)))
    }
    let total = names.reduce(0) { $0 + $1.1.count }
    var done = 0
    for (namespace, names) in names {
      for start in stride(from: 0, to: names.count, by: SecureStore.rekeyBatch) {
        let batch = names[start..<min(start + SecureStore.rekeyBatch, names.count)]
        try await transaction { transaction throws(StorageError) in
          try transaction.reseal(batch, in: namespace)
        }
        done += batch.count
        progress(StoreProgress(done: done, total: total))
      }
    }
    return total
  }

  /// In this order a batch touches few pages of the list and of the database.
  private func keysInFileOrder(_ namespace: StoreNamespace) throws(StorageError) -> [KeyName] {
    let keyring = cache.withLock { $0.unlocked.sealer.keyring }
    return try keys(in: namespace)
      .map { text in
        let name = KeyName(unchecked: text)
        return (row: keyring.rowName(name, in: namespace).bytes, name: name)
      }
      .sorted { $0.row.lexicographicallyPrecedes($1.row) }
      .map(\.name)
  }

  /// Whatever was written meanwhile was sealed with the new key, or its writer would not have
  /// got past the keyset: nothing needs the old ones any more once the lists are sealed anew.
  private func dropOldKeys(_ activeID: UInt32) async throws(StorageError) {
    try await transaction { transaction throws(StorageError) in
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
    try await transaction { transaction throws(StorageError) in
      try transaction.prepareRootKey(next)
    }
    try await transaction { transaction throws(StorageError) in
      try transaction.commitRootKey(next)
      transaction.purge()
    }
  }

  private func move(to target: PreparedVault) async throws(StorageError) {
    let old = cache.withLock { $0.unlocked.vault }
    try await transaction { transaction throws(StorageError) in
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
