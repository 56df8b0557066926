/// What opens a store's rows: its keyring, and the root key that opens the next keyring.
struct Unlocked: Sendable {
  var vault: any KeyVault
  var root: RootKey
  private(set) var sealer: Sealer
  /// The keyset row that the keyring came from.
  private var keysetTag: RowTag?

  /// Opens the keyset of a store.
  ///
  /// - Throws: `keyLost`, `wrongKey`, `newerFormat`, `cipherUnavailable`, `damaged`, and what reading throws.
  init(
    vault: any KeyVault,
    root: RootKey,
    reader: any StorageReader,
    options: StoreOptions
  ) throws(StorageError) {
    let storeID = try Unlocked.storeID(reader)
    let row = try reader.row(.keyset)
    let keyring = try Unlocked.keyring(row, root, reader, storeID)
    self.vault = vault
    self.root = root
    sealer = try Sealer(
      storeID: storeID,
      keyring: keyring,
      suite: options.suite,
      random: options.random
    )
    keysetTag = row.flatMap { RowTag(ofRow: $0) }
  }

  /// Opens a row, with a keyring that another process may just have changed; nil where the row
  /// is not authentic.
  ///
  /// - Throws: what reading the keyset throws.
  mutating func open(
    _ row: [UInt8],
    as item: SealedItem,
    _ reader: any StorageReader
  ) throws(StorageError) -> Sealer.OpenedRow? {
    if let keyID = Sealer.keyID(ofRow: row), !sealer.keyring.has(keyID) { try refresh(reader) }
    return sealer.open(row, as: item)
  }

  /// Reads the keyset again where it changed.
  ///
  /// Every transaction does so first, or it might seal with a key that is about to be dropped.
  mutating func refresh(_ reader: any StorageReader) throws(StorageError) {
    let row = try reader.row(.keyset)
    let tag = row.flatMap { RowTag(ofRow: $0) }
    guard tag != keysetTag || tag == nil else { return }
    let keyring: Keyring
    do {
      keyring = try KeysetRow.open(row, with: root, storeID: sealer.storeID)
    } catch  where error.code == .wrongKey {
      // Another process gave the vault a new root key, or moved to another vault.
      if let recorded = try SecureStore.recordedVault(reader), recorded != vault.name {
        throw .otherVault(recorded, wanted: vault.name)
      }
      guard let fresh = try VaultCall.rootKey(of: vault) else { throw error }
      keyring = try KeysetRow.open(row, with: fresh, storeID: sealer.storeID)
      root = fresh
    }
    sealer = try Sealer(
      storeID: sealer.storeID,
      keyring: keyring,
      suite: sealer.suite,
      random: sealer.random
    )
    keysetTag = tag
  }

  private static func storeID(_ reader: any StorageReader) throws(StorageError) -> [UInt8] {
    guard let id = try reader.row(.storeID).flatMap(Checksummed.payload(of:)) else {
      throw .damaged("The store's id is missing or damaged")
    }
    return id
  }

  /// The keyring, from the keyset or, where a change of the root key was cut short, from the
  /// one that was prepared for it.
  private static func keyring(
    _ row: [UInt8]?,
    _ root: RootKey,
    _ reader: any StorageReader,
    _ storeID: [UInt8]
  ) throws(StorageError) -> Keyring {
    do {
      return try KeysetRow.open(row, with: root, storeID: storeID)
    } catch {
      guard error.code == .wrongKey, let next = try reader.row(.nextKeyset),
        let keyring = try? KeysetRow.open(next, with: root, storeID: storeID)
      else { throw error }
      return keyring
    }
  }
}
