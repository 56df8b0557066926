internal import SessionModels

extension StoreTransaction {
  /// Replaces the keyring, sealed by the root key.
  ///
  /// A change of the root key that was cut short is brought to its end first: the keyset that
  /// was prepared for it would lack the new keys.
  mutating func setKeyring(_ keyring: Keyring) throws(StorageError) {
    try settleRootKey()
    if keyring.activeID != unlocked.sealer.keyring.activeID { anchor.seals = 0 }
    try unlocked.adopt(keyring)
    try putKeyset()
    changed.formUnion(StoreNamespace.allCases)
  }

  /// Has a fresh key seal from now on; what the older ones sealed stays as it is.
  mutating func rotateKey() throws(StorageError) {
    let sealer = unlocked.sealer
    try setKeyring(sealer.keyring.rotated(cipher: sealer.cipher.name, random: sealer.random))
  }

  /// Seals the keyring with the next root key, too, so that there is no moment in which the
  /// vault's key opens neither keyset.
  mutating func prepareRootKey(_ next: RootKey) throws(StorageError) {
    try settleRootKey()
    try writer.putTwice(.nextKeyset, sealedKeyring(with: next))
    changed.formUnion(StoreNamespace.allCases)
  }

  /// Gives the vault the prepared root key and makes its keyset the only one.
  ///
  /// - Throws: `busy` where another process has prepared another key meanwhile, and what the
  ///   vault throws.
  mutating func commitRootKey(_ next: RootKey) throws(StorageError) {
    guard try isPrepared(next) else { throw .changedByOthers }
    // A power cut must not undo the preparation alone.
    try writer.makeDurable()
    try VaultCall.keep(next, in: unlocked.vault, insteadOf: unlocked.root)
    try adoptRootKey(next, unlocked.vault)
  }

  /// Finishes a change of the root key that was cut short once the vault had the new one.
  mutating func finishRootKey() throws(StorageError) {
    guard try !writer.copies(.nextKeyset).isEmpty,
      let vaultKey = try VaultCall.rootKey(of: unlocked.vault), try isPrepared(vaultKey)
    else { return }
    try adoptRootKey(vaultKey, unlocked.vault)
    purge()
  }

  /// Seals the keyring with a root key that its vault already keeps.
  mutating func adoptRootKey(_ root: RootKey, _ vault: any KeyVault) throws(StorageError) {
    // A number of the old vault's counter says nothing about the new one's.
    if vault.name != unlocked.vault.name { anchor.counter = 0 }
    unlocked.root = root
    unlocked.vault = vault
    try putKeyset()
    try writer.removeBoth(.nextKeyset)
    try writer.putTwice(.storeID, Checksummed.frame(unlocked.sealer.storeID))
    try writer.putTwice(.vault, Checksummed.frame(Array(vault.name.rawValue.utf8)))
    changed.formUnion(StoreNamespace.allCases)
  }

  /// Seals values anew; see ``NamespaceView/reseal(from:most:_:_:)``.
  mutating func reseal(
    in namespace: StoreNamespace,
    from place: UInt32,
    most: Int
  ) throws(StorageError) -> (count: Int, next: UInt32?) {
    changed.insert(namespace)
    return try withView(of: namespace) { view, writer, sealer throws(StorageError) in
      try view.reseal(from: place, most: most, writer, sealer)
    }
  }

  /// Seals what is left of a namespace's list with an older key.
  mutating func resealList(of namespace: StoreNamespace) throws(StorageError) {
    try withView(of: namespace) { view, writer, sealer throws(StorageError) in
      try view.touchStale(writer, sealer)
    }
    changed.insert(namespace)
  }

  private mutating func settleRootKey() throws(StorageError) {
    guard try !writer.copies(.nextKeyset).isEmpty else { return }
    if let vaultKey = try VaultCall.rootKey(of: unlocked.vault), try isPrepared(vaultKey) {
      unlocked.root = vaultKey
      try putKeyset()
    }
    try writer.removeBoth(.nextKeyset)
  }

  /// Whether a keyset stands by for a root key.
  private func isPrepared(_ root: RootKey) throws(StorageError) -> Bool {
    let storeID = unlocked.sealer.storeID
    let found = try writer.sound(.nextKeyset) {
      try? KeysetRow.open($0, with: root, storeID: storeID)
    }
    if case .sound = found { return true }
    return false
  }

  /// Seals the keyring as it is now, with the root key as it is now.
  private mutating func putKeyset() throws(StorageError) {
    let row = sealedKeyring(with: unlocked.root)
    guard let tag = RowTag(ofRow: row) else { preconditionFailure("a row ends in its tag") }
    try writer.putTwice(.keyset, row)
    anchor.keyset = tag
  }

  private func sealedKeyring(with root: RootKey) -> [UInt8] {
    KeysetRow.seal(
      unlocked.sealer.keyring,
      with: root,
      storeID: unlocked.sealer.storeID,
      random: unlocked.sealer.random
    )
  }
}
