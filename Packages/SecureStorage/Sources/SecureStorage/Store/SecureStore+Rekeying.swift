extension SecureStore {
  /// So many values a transaction: other writers wait for as long as it takes, some 70 ms.
  private static let rekeyBatch = 8192

  /// Changes every key: a fresh root key in the vault or, first of all, in another one, and a fresh
  /// data key for all values.
  ///
  /// Values are sealed anew in small transactions while readers and writers of all processes go
  /// on. A crash anywhere leaves every value readable; calling it again finishes the work, and the
  /// next open clears away what a move has left in either vault. Where several processes move the
  /// key at once, one after the other does.
  ///
  /// - Parameters:
  ///   - newVault: Where the root key goes; nil keeps the vault. What it keeps so far is replaced,
  ///     whatever it is: a vault is one store's.
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
    var move = Move.notNeeded
    if let newVault { move = try await self.move(to: newVault) }
    let count: Int
    do throws(StorageError) {
      let activeID = try await addDataKey(cipher)
      count = try await resealAll(progress)
      try await dropOldKeys(activeID)
    } catch {
      guard case .done = move else { throw error }
      throw StorageError(
        error.code,
        "The key is in the vault \(vaultName) by now, but not all values are sealed anew: "
          + error.message,
        advice: error.advice
      )
    }
    switch move {
    case .notNeeded: try await changeRootKey()
    case .done(nil): break
    case .done(let failure?): throw failure
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
      guard keyring.activeID == activeID else { throw .changedByOthers }
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
}
