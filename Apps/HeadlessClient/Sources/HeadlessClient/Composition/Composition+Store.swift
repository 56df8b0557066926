internal import SecureStorage
internal import SessionModels

extension Composition {
  /// The vault that the store has; nil where there is no store.
  func recordedVault() async throws(ClientError) -> VaultName? {
    if let openStore { return openStore.vaultName }
    return try await withStorageErrors { () async throws(StorageError) in
      try await SecureStore.vaultName(ofStoreAt: profile.storeDirectory)
    }
  }

  /// The vault as reports have it: the store's or, without a store, the option's.
  func vaultText() async -> String {
    let recorded = try? await recordedVault()
    return (recorded ?? settings.vault)?.rawValue ?? "auto"
  }

  /// Sees whether the option names another vault than the store's, before a person is asked for
  /// anything.
  ///
  /// - Throws: ``ClientError`` of code `usage`. What else is wrong is said when the store is opened.
  func checkVaultOption() async throws(ClientError) {
    guard let wanted = settings.vault, let recorded = try? await recordedVault(),
      recorded != wanted
    else { return }
    throw ClientError(
      .usage,
      "The store's key is in the vault \(recorded), not in \(wanted)",
      advice: "Leave the vault out, or move the key with store rekey --vault \(wanted)"
    )
  }

  /// Where a new store's key would be kept.
  func rehearsedVault() async throws(ClientError) -> VaultName {
    try await withStorageErrors { [opening] () async throws(StorageError) in
      try await opening.rehearse()
    }
  }

  /// Seals everything with a new key, in the vault that the option names or the present one.
  func rekey(
    cipher: CipherName?,
    _ progress: @escaping @Sendable (StoreProgress) -> Void
  ) async throws(ClientError) -> Int {
    // Here the option names the new vault; the present one is known from the store.
    let opening = StoreOpening(self, wanted: nil)
    try secureHome()
    guard try profile.hasStore else {
      throw ClientError(.notFound, "There is no store to rekey", advice: "Sign in first")
    }
    let store = try await withStorageErrors { () async throws(StorageError) in
      try await opening.open()
    }
    adopt(store)
    let target = try await rekeyTarget(store.vaultName, opening)
    if target == .passphrase { try opening.askForNewPassphrase() }
    let count = try await withStorageErrors { () async throws(StorageError) in
      let vault = try target.map { name throws(StorageError) in
        try opening.vault(name, isNew: true)
      }
      return try await store.rekey(to: vault, cipher: cipher, progress: progress)
    }
    if let target, target != .passphrase { opening.lock() }
    if target == .kernelKeyring { console.note("\(StoreNote.emptiedByReboot(.kernelKeyring))") }
    return count
  }

  /// The vault that a change of key moves to; nil for the present one.
  private func rekeyTarget(
    _ present: VaultName,
    _ opening: StoreOpening
  ) async throws(ClientError) -> VaultName? {
    guard settings.wantsBestVault else { return settings.vault }
    let best = try await withStorageErrors { () async throws(StorageError) in
      try await opening.best()
    }
    let reasons = best.passedOver.map { "; \($0.vault) was passed over: \($0.reason)" }.joined()
    console.note(
      best.vault == present
        ? "The vault stays \(present), the best that works\(reasons)"
        : "The key moves from the vault \(present) to \(best.vault), the best that works\(reasons)"
    )
    return best.vault == present ? nil : best.vault
  }

  /// Changes the passphrase of a store that has one.
  func changePassphrase() async throws(ClientError) {
    try secureHome()
    let opening = StoreOpening(self, wanted: .passphrase)
    guard try profile.hasStore else {
      throw ClientError(.notFound, "There is no store yet", advice: "Sign in first")
    }
    if let vault = try await recordedVault(), vault != .passphrase {
      throw .usage(
        "The store's key is in the vault \(vault), which has no passphrase",
        advice: "Move it with store rekey --vault passphrase, which asks for a new one"
      )
    }
    adopt(
      try await withStorageErrors { () async throws(StorageError) in try await opening.open() }
    )
    let new = try opening.replacingPassphrase()
    try await withStorageErrors { () async throws(StorageError) in
      let vault = PassphraseVault(path: profile.passphraseFile) { () throws(StorageError) in
        try opening.presentPassphrase()
      }
      try await vault.changePassphrase(to: new)
    }
    opening.lock()
  }

  /// Makes a damaged store readable again, as far as that can be.
  func repair() async throws(ClientError) -> StoreRepair {
    try secureHome()
    guard try profile.hasStore else {
      throw ClientError(.notFound, "There is no store to repair", advice: "Sign in first")
    }
    let (opening, directory) = (opening, profile.storeDirectory)
    return try await withStorageErrors { () async throws(StorageError) in
      try await SecureStore.repair(storeAt: directory) { recorded throws(StorageError) in
        try opening.vault(ofStoreWith: recorded)
      }
    }
  }

  /// Sets the store aside and makes an empty one.
  ///
  /// - Returns: where the old one lies; nil where there was none.
  func reset() async throws(ClientError) -> String? {
    try secureHome()
    // Nobody is asked for a passphrase that may well be forgotten.
    let isAsking = (try? await recordedVault()) == .passphrase
    let user = isAsking ? nil : try? await record().authInfo?.session.userID
    guard let aside = try await replaceStore() else {
      _ = try await storeForWriting()
      return nil
    }
    if let user {
      console.note(
        "The session of user \(user) was set aside with the store and lives on at the server; "
          + "where the key lies in that folder, keep the folder as you would keep a password"
      )
    }
    return aside
  }

  /// Puts an empty store in the place of one that cannot be opened any more, and says so.
  func replaceStore(because error: ClientError) async throws(ClientError) {
    guard let aside = try await replaceStore() else { return }
    console.note("\(error.message). The old store lies in \(aside), a fresh one is made")
    _ = try await storeForReading()
  }

  /// Sets the store aside once an empty one is ready to take its place.
  private func replaceStore() async throws(ClientError) -> String? {
    opening.lock()
    forgetStore(of: try? await recordedVault())
    guard try profile.hasStore else { return nil }
    try opening.chooseNewPassphrase()
    let replaced = try await withStorageErrors { [opening] () async throws(StorageError) in
      try await opening.replace()
    }
    for note in replaced.notes { console.note("\(note)") }
    return replaced.aside
  }
}
