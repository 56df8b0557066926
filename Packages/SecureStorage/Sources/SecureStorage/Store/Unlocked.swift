/// What opens a store's rows: its keyring, and the root key that opens the next keyring; and the
/// anchor, which says what the last state is.
struct Unlocked: Sendable {
  var vault: any KeyVault
  var root: RootKey
  /// Gives the vault that another process has moved the key to.
  let chooseVault: VaultChooser
  private var contents: Contents

  var sealer: Sealer { contents.sealer }
  /// The anchor of the state that was last read.
  var anchor: Anchor { contents.anchor }
  /// The commit that wrote the anchor.
  var anchorGeneration: UInt64 { contents.generation }
  /// The tag of the anchor's row.
  var anchorTag: RowTag { contents.anchorTag }

  /// A keyring and an anchor that name each other.
  private struct Contents {
    var sealer: Sealer
    var anchor: Anchor
    var anchorTag: RowTag
    /// The commit that wrote the anchor.
    var generation: UInt64
  }

  /// Whether the root key opens the keyset that was prepared for a change of it, and not yet the
  /// one in use, or a vault may keep what a move has left: the process that did it was killed.
  func isKeyChangeUnfinished(_ reader: any StorageReader) throws(StorageError) -> Bool {
    guard try reader.copies(.leftoverVaults).isEmpty else { return true }
    guard try !reader.copies(.nextKeyset).isEmpty else { return false }
    let keyset = try reader.sound(.keyset) {
      try? KeysetRow.open($0, with: root, storeID: sealer.storeID)
    }
    if case .sound = keyset { return false }
    return true
  }

  /// Opens the keyset of a store.
  ///
  /// - Throws: `keyLost`, `wrongKey`, `newerFormat`, `cipherUnavailable`, `damaged`, `tampered`,
  ///   and what reading throws.
  init(
    vault: any KeyVault,
    root: RootKey,
    reader: any StorageReader,
    options: StoreOptions,
    chooseVault: @escaping VaultChooser
  ) throws(StorageError) {
    self.vault = vault
    self.root = root
    self.chooseVault = chooseVault
    let storeID = try reader.sound(.storeID) { Checksummed.payload(of: $0) }
    guard case .sound(let storeID) = storeID else {
      throw .damaged("The store's id is missing or damaged")
    }
    contents = try Unlocked.contents(root, storeID, options.suite, options.random, reader)
  }

  /// Whether this is known to be what the state has, without a look at it.
  func isLast(_ reader: any StorageReader) -> Bool {
    reader.isOwn && reader.generation == anchorGeneration
  }

  /// Whether the active key has sealed half as often as it may.
  ///
  /// The other half is for what processes sealed that were killed before they could commit, and
  /// for the transaction that finds out.
  ///
  /// - Parameter seals: How often it had sealed at the last commit.
  /// - Returns: Whether it has.
  func keyIsWorn(after seals: UInt64) -> Bool {
    seals + sealer.count.value >= sealer.cipher.sealLimit / 2
  }

  /// Takes in what another process, or a transaction, has changed.
  ///
  /// Every reading and every transaction does so first: an older list, or a key that is about to
  /// be dropped, must not be used.
  ///
  /// - Parameters:
  ///   - reader: The state.
  ///   - askingVault: Whether the vault may be asked for a root key that another process gave it.
  ///   - following: Whether the vault that another process has moved the key to may be, too.
  /// - Throws: `tampered` where the state is older than the one before, and what reading throws.
  mutating func refresh(
    _ reader: any StorageReader,
    askingVault: Bool = true,
    following: Bool = true
  ) throws(StorageError) {
    if isLast(reader) { return }
    if let row = try? reader.row(.anchor), RowTag(ofRow: row) == anchorTag { return }
    var fresh = self
    if case .sound(let contents) = try Unlocked.anchored(sealer, anchor.keyset, reader) {
      fresh.contents = contents
    } else {
      try fresh.reload(reader, askingVault, following)
    }
    guard fresh.contents.generation >= contents.generation else {
      throw .tampered("The store went back to an older state while it was open")
    }
    self = fresh
  }

  private mutating func reload(
    _ reader: any StorageReader,
    _ askingVault: Bool,
    _ following: Bool
  ) throws(StorageError) {
    do {
      contents = try Unlocked.contents(
        root,
        sealer.storeID,
        sealer.suite,
        sealer.random,
        reader
      )
    } catch  where error.code == .wrongKey && askingVault {
      // Another process gave the vault a new root key, or moved to another vault.
      if let recorded = try SecureStore.recordedVault(reader), recorded != vault.name {
        guard following else { throw .moved(to: recorded) }
        let moved = try chooseVault(recorded)
        guard moved.name == recorded else { throw .moved(to: recorded) }
        vault = moved
      }
      let sealer = sealer
      let opened = try VaultCall.open(with: vault) { fresh throws(StorageError) in
        let contents = try Unlocked.contents(
          fresh,
          sealer.storeID,
          sealer.suite,
          sealer.random,
          reader
        )
        return (fresh, contents)
      }
      guard let opened else { throw error }
      (root, contents) = opened
    }
  }

  /// Takes over a keyring that a transaction is about to commit.
  mutating func adopt(_ keyring: Keyring) throws(StorageError) {
    contents.sealer = try Sealer(
      storeID: sealer.storeID,
      keyring: keyring,
      suite: sealer.suite,
      random: sealer.random,
      count: keyring.activeID == sealer.keyring.activeID ? sealer.count : SealCount()
    )
  }

  /// Takes over an anchor that a transaction is about to commit.
  mutating func adopt(_ anchor: Anchor, _ tag: RowTag, generation: UInt64) {
    contents.anchor = anchor
    contents.anchorTag = tag
    contents.generation = generation
  }
}

extension Unlocked {
  /// The first of the keyset's copies that the root key opens and the anchor names.
  private static func contents(
    _ root: RootKey,
    _ storeID: [UInt8],
    _ suite: CipherSuite,
    _ random: RandomSource,
    _ reader: any StorageReader
  ) throws(StorageError) -> Contents {
    var failure = StorageError.keyLost("The store's keyset is missing or damaged")
    for row in try reader.copies(.keyset).reversed() {
      guard let tag = RowTag(ofRow: row), Checksummed.payload(of: row) != nil else { continue }
      do throws(StorageError) {
        let keyring = try keyring(row, root, reader, storeID)
        let sealer = try Sealer(
          storeID: storeID,
          keyring: keyring,
          suite: suite,
          random: random
        )
        switch try anchored(sealer, tag, reader) {
        case .sound(let contents): return contents
        case .missing: failure = .damaged("The store's anchor is missing")
        case .bad: failure = .tampered("The store's anchor, or its keyset, is not the last one")
        }
      } catch {
        failure = error
      }
    }
    throw failure
  }

  /// The anchor, where it names a keyset.
  private static func anchored(
    _ sealer: Sealer,
    _ keyset: RowTag,
    _ reader: any StorageReader
  ) throws(StorageError) -> Copies<Contents> {
    try reader.sound(.anchor) { row throws(StorageError) in
      guard let opened = sealer.open(row, as: .anchor), let tag = RowTag(ofRow: row),
        opened.generation <= reader.generation
      else { return nil }
      let anchor = try Anchor(encoded: opened.plaintext)
      guard anchor.keyset == keyset else { return nil }
      return Contents(
        sealer: sealer,
        anchor: anchor,
        anchorTag: tag,
        generation: opened.generation
      )
    }
  }

  /// The keyring, from the keyset or, where a change of the root key was cut short, from the
  /// one that was prepared for it.
  private static func keyring(
    _ row: [UInt8],
    _ root: RootKey,
    _ reader: any StorageReader,
    _ storeID: [UInt8]
  ) throws(StorageError) -> Keyring {
    do {
      return try KeysetRow.open(row, with: root, storeID: storeID)
    } catch {
      guard error.code == .wrongKey,
        case .sound(let keyring) = try reader.sound(
          .nextKeyset,
          { try? KeysetRow.open($0, with: root, storeID: storeID) }
        )
      else { throw error }
      return keyring
    }
  }
}
