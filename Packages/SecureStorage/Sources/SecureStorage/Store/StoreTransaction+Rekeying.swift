internal import SessionModels

extension StoreTransaction {
  /// Replaces the keyring, sealed by the root key.
  ///
  /// A change of the root key that was cut short is brought to its end first: the keyset that
  /// was prepared for it would lack the new keys.
  mutating func setKeyring(_ keyring: Keyring) throws(StorageError) {
    try settleRootKey()
    try putKeyset(keyring, .keyset, with: unlocked.root)
    try unlocked.refresh(writer)
    changed.formUnion(StoreNamespace.allCases)
  }

  /// Seals the keyring with the next root key, too, so that there is no moment in which the
  /// vault's key opens neither keyset.
  mutating func prepareRootKey(_ next: RootKey) throws(StorageError) {
    try settleRootKey()
    try putKeyset(unlocked.sealer.keyring, .nextKeyset, with: next)
    changed.formUnion(StoreNamespace.allCases)
  }

  /// Gives the vault the prepared root key and makes its keyset the only one.
  ///
  /// - Throws: `busy` where another process has prepared another key meanwhile, and what the
  ///   vault throws.
  mutating func commitRootKey(_ next: RootKey) throws(StorageError) {
    guard let row = try writer.row(.nextKeyset),
      (try? KeysetRow.open(row, with: next, storeID: unlocked.sealer.storeID)) != nil
    else {
      throw StorageError(
        .busy,
        "Another process is changing the key at the same time",
        advice: "Nothing is lost; try again."
      )
    }
    try VaultCall.setRootKey(next, in: unlocked.vault)
    try adoptRootKey(next, unlocked.vault)
  }

  /// Seals the keyring with a root key that its vault already keeps.
  mutating func adoptRootKey(_ root: RootKey, _ vault: any KeyVault) throws(StorageError) {
    unlocked.root = root
    unlocked.vault = vault
    try putKeyset(unlocked.sealer.keyring, .keyset, with: root)
    try writer.remove(.nextKeyset)
    try writer.put(.vault, Checksummed.frame(Array(vault.name.rawValue.utf8)))
    try unlocked.refresh(writer)
    changed.formUnion(StoreNamespace.allCases)
  }

  /// Seals those of the values that another key still seals.
  mutating func reseal(
    _ names: ArraySlice<KeyName>,
    in namespace: StoreNamespace
  ) throws(StorageError) {
    for name in names {
      let row = unlocked.sealer.keyring.rowName(name, in: namespace)
      try withView(of: namespace) { view, writer, unlocked throws(StorageError) in
        guard let entry = try view.entry(name, row, writer, &unlocked) else { return }
        let value = try view.value(name, row, entry, writer, &unlocked)
        try view.put(value, name, row, writer, &unlocked)
      }
    }
    changed.insert(namespace)
  }

  /// Seals all of a namespace's list anew.
  mutating func resealList(of namespace: StoreNamespace) throws(StorageError) {
    try withView(of: namespace) { view, writer, unlocked throws(StorageError) in
      try view.touchAll(writer, &unlocked)
    }
    changed.insert(namespace)
  }

  private mutating func settleRootKey() throws(StorageError) {
    guard let next = try writer.row(.nextKeyset) else { return }
    let vaultKey = try VaultCall.rootKey(of: unlocked.vault)
    if let vaultKey,
      (try? KeysetRow.open(next, with: vaultKey, storeID: unlocked.sealer.storeID)) != nil
    {
      unlocked.root = vaultKey
      try putKeyset(unlocked.sealer.keyring, .keyset, with: vaultKey)
      try unlocked.refresh(writer)
    }
    try writer.remove(.nextKeyset)
  }

  private func putKeyset(
    _ keyring: Keyring,
    _ name: RowName,
    with root: RootKey
  ) throws(StorageError) {
    let row = KeysetRow.seal(
      keyring,
      with: root,
      storeID: unlocked.sealer.storeID,
      random: unlocked.sealer.random
    )
    try writer.put(name, row)
  }
}
