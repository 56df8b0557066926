import SecureStorageTesting
import SessionModels
import Testing

@testable import SecureStorage

/// What a later version of each sealed part looks like to this one: a newer format, never a wrong
/// key, never damage.
@Suite struct NewerFormatTests {
  private let engine = InMemoryEngine()
  private let vault = InMemoryVault()

  /// A store with one value; what the closure makes of its rows is opened.
  private func open(
    _ change: (Sealer, RootKey, [UInt8]) throws -> Void
  ) async throws -> SecureStore {
    let store = try await SecureStore.open(engine: engine, vault: vault)
    try await store.set("value", forKey: "a")
    let sealer = try await store.transaction { $0.unlocked.sealer }
    store.close()
    let root = try #require(try vault.rootKey())
    try change(sealer, root, sealer.storeID)
    return try await SecureStore.open(engine: engine.sibling(), vault: vault)
  }

  private func put(_ row: RowName, _ bytes: [UInt8]) {
    engine.rows[row] = bytes
    engine.rows[row.copy] = bytes
  }

  /// A keyset row around some content.
  private func keyset(_ content: [UInt8], _ root: RootKey, _ storeID: [UInt8]) -> [UInt8] {
    let nonce = RandomSource.system.bytes(24)
    let data = SealedItem.keyset.associatedData(storeID: storeID, keyID: root.id, generation: 0)
    let sealed = root.withBytes {
      XChaCha20Poly1305().seal(content, key: $0, nonce: nonce, associatedData: data)
    }
    return Envelope.bytes(keyID: root.id, nonce: nonce, sealed: sealed)
  }

  @Test func `a keyset's content of a later version`() async throws {
    await expect(.newerFormat) {
      try await open { sealer, root, storeID in
        var content = sealer.keyring.encoded()
        content[0] = 2
        put(.keyset, Checksummed.frame(keyset(content, root, storeID)))
      }
    }
  }

  @Test func `a keyset's envelope of a later version`() async throws {
    await expect(.newerFormat) {
      try await open { sealer, root, storeID in
        var envelope = keyset(sealer.keyring.encoded(), root, storeID)
        envelope[0] = 2
        put(.keyset, Checksummed.frame(envelope))
      }
    }
  }

  @Test func `an anchor of a later version`() async throws {
    await expect(.newerFormat) {
      try await open { sealer, _, _ in
        let row = try #require(engine.rows[.anchor])
        var opened = try #require(sealer.open(row, as: .anchor))
        var content = opened.plaintext
        content[0] = 2
        put(.anchor, sealer.seal(content, as: .anchor, generation: opened.generation).bytes)
        opened.wipe()
      }
    }
  }

  @Test func `a list of a later version, and the store opens all the same`() async throws {
    let store = try await open { sealer, _, _ in
      let row = try #require(engine.rows[.manifest(of: .user)])
      let opened = try #require(sealer.open(row, as: .manifest(of: .user)))
      var content = opened.plaintext
      content[0] = 2
      let generation = opened.generation
      let list = sealer.seal(content, as: .manifest(of: .user), generation: generation)
      put(.manifest(of: .user), list.bytes)
      let anchorRow = try #require(engine.rows[.anchor])
      var anchor = try Anchor(
        encoded: try #require(sealer.open(anchorRow, as: .anchor)).plaintext
      )
      anchor[.user] = list.tag
      put(.anchor, sealer.seal(anchor.encoded(), as: .anchor, generation: generation).bytes)
    }
    await expect(.newerFormat) { try store.string(forKey: "a") }
    await expect(.newerFormat) { try await store.set("other", forKey: "a") }
    // The session's is as it was.
    #expect(try SecureSessionStorage(store: store).record() == .empty)
  }

  @Test func `a value's envelope of a later version is not authentic`() async throws {
    // The store says its version elsewhere, so that here it is damage.
    let store = try await open { _, _, _ in
      let row = try #require(engine.rows.keys.first { $0.space == 1 && $0.bytes.count == 32 })
      engine.rows[row]?[8] = 2
    }
    await expect(.tampered) { try store.string(forKey: "a") }
  }

  @Test func `a vault's file of a later version`() async throws {
    let home = TemporaryHome()
    let path = home.path + "/key"
    let vaults: [any KeyVault] = [
      FileVault(path: path),
      PassphraseVault(path: path, cost: KeyDerivationCost(passes: 1, memory: 65_536)) {
        () throws(StorageError) in Secret("correct horse")
      },
    ]
    for vault in vaults {
      try vault.setRootKey(nil)
      try vault.setRootKey(RootKey.random(from: .system))
      var content = try #require(Checksummed.payload(of: TemporaryHome.bytes(of: path)))
      content[4] = 2
      TemporaryHome.write(Checksummed.frame(content), to: path)
      await expect(.newerFormat) { try vault.rootKey() }
    }
  }
}
