import SecureStorage
import SecureStorageTesting
import SessionModels
import Synchronization
import Testing

@Suite struct RekeyTests {
  private static let other = VaultName(rawValue: "other")

  private func filled(_ engine: InMemoryEngine, _ vault: InMemoryVault) async throws -> SecureStore
  {
    let store = try await SecureStore.open(engine: engine, vault: vault)
    try await store.transaction { transaction throws(StorageError) in
      for index in 0..<300 { try transaction.set("value \(index)", forKey: "key \(index)") }
    }
    try await SecureSessionStorage(store: store).setAuthInfo(SecureSessionStorageTests.info())
    return store
  }

  private func isWhole(_ store: SecureStore) throws -> Bool {
    for index in 0..<300 where try store.string(forKey: "key \(index)") != "value \(index)" {
      return false
    }
    let session = try SecureSessionStorage(store: store).record().authInfo
    return try store.keys().count == 300 && session == SecureSessionStorageTests.info()
  }

  /// The ids of the keys that seal rows: bytes 9 to 12 of each sealed row.
  private func keyIDs(_ engine: InMemoryEngine) -> Set<[UInt8]> {
    Set(engine.rows.filter { $0.key.space % 128 > 0 }.values.map { Array($0[9..<13]) })
  }

  @Test func `a change of key seals every row anew, and gives the vault another key`()
    async throws
  {
    let (engine, vault) = (InMemoryEngine(), InMemoryVault())
    let store = try await filled(engine, vault)
    let before = try store.info().keyID
    let rows = engine.rows
    let progress = Mutex<[StoreProgress]>([])
    let count = try await store.rekey { step in progress.withLock { $0.append(step) } }
    #expect(count == 301)
    #expect(progress.withLock { $0.last } == StoreProgress(done: 301, total: 301))
    #expect(try store.info().keyID != before)
    #expect(keyIDs(engine).count == 1)
    #expect(try isWhole(store))
    let unchanged = engine.rows.filter { rows[$0.key] == $0.value }.keys.map(\.bytes)
    #expect(Set(unchanged) == [Array("store".utf8), Array("vault".utf8)])
    #expect(engine.rows.keys.count == rows.keys.count)
    #expect(try isWhole(try await SecureStore.open(engine: engine.sibling(), vault: vault)))
  }

  @Test func `a move to another vault leaves the old one empty`() async throws {
    let (engine, vault) = (InMemoryEngine(), InMemoryVault())
    let new = InMemoryVault(name: Self.other)
    let store = try await filled(engine, vault)
    _ = try await store.rekey(to: new)
    #expect(store.vaultName == Self.other)
    #expect(try vault.rootKey() == nil)
    #expect(try isWhole(store))
    #expect(try isWhole(try await SecureStore.open(engine: engine.sibling(), vault: new)))
    await expect(.otherVault) {
      try await SecureStore.open(engine: engine.sibling(), vault: vault)
    }
  }

  @Test func `a crash after any commit of a change of key leaves every value readable`()
    async throws
  {
    for moves in [false, true] {
      for commits in 0..<12 {
        let (engine, vault) = (InMemoryEngine(), InMemoryVault())
        let new = InMemoryVault(name: Self.other)
        let store = try await filled(engine, vault)
        engine.failWrites(after: commits, with: StorageError(.io, "crash", advice: ""))
        _ = try? await store.rekey(to: moves ? new : nil)
        engine.failWrites(with: nil)
        let again = try await SecureStore.open(engine: engine.sibling()) { recorded in
          recorded == Self.other ? new : vault
        }
        #expect(try isWhole(again), "\(commits) commits")
        // And the work can be brought to its end, by another process, and again read by this one.
        _ = try await again.rekey()
        #expect(keyIDs(engine).count == 1)
        #expect(try isWhole(again))
      }
    }
  }

  @Test func `a vault that fails in the middle leaves every value readable`() async throws {
    let (engine, vault) = (InMemoryEngine(), InMemoryVault())
    let store = try await filled(engine, vault)
    vault.fail(with: StorageError(.vaultUnavailable, "gone", advice: ""))
    await expect(.vaultUnavailable) { try await store.rekey() }
    #expect(try isWhole(store))
    vault.fail(with: nil)
    #expect(try isWhole(try await SecureStore.open(engine: engine.sibling(), vault: vault)))
  }

  @Test func `another process reads and writes through a change of key`() async throws {
    let (engine, vault) = (InMemoryEngine(), InMemoryVault())
    let store = try await filled(engine, vault)
    let other = try await SecureStore.open(engine: engine.sibling(), vault: vault)
    #expect(try isWhole(other))
    _ = try await store.rekey()
    #expect(try isWhole(other))
    try await other.set("written", forKey: "after")
    #expect(try store.string(forKey: "after") == "written")
    _ = try await other.rekey()
    #expect(try store.string(forKey: "after") == "written")
    try await store.remove("after")
    #expect(keyIDs(engine).count == 1)
  }

  @Test func `writes during a change of key are kept`() async throws {
    let (engine, vault) = (InMemoryEngine(), InMemoryVault())
    let store = try await filled(engine, vault)
    let other = try await SecureStore.open(engine: engine.sibling(), vault: vault)
    async let change = store.rekey()
    for index in 0..<100 { try await other.set("new \(index)", forKey: "late \(index)") }
    _ = try await change
    for index in 0..<100 {
      #expect(try store.string(forKey: "late \(index)") == "new \(index)")
    }
    let verification = try await store.verify()
    #expect(verification == StoreVerification(verified: 401, damaged: []))
  }

  @Test func `damage stops a change of key before the old one is dropped`() async throws {
    let (engine, vault) = (InMemoryEngine(), InMemoryVault())
    let store = try await filled(engine, vault)
    let row = try #require(engine.rows.keys.first { $0.space == 1 && $0.bytes.count == 32 })
    let bytes = engine.rows[row]
    engine.rows[row] = nil
    await expect(.damaged) { try await store.rekey() }
    engine.rows[row] = bytes
    #expect(try isWhole(store))
  }

  @Test func `where the key has moved before values could not be sealed anew, it is said`()
    async throws
  {
    let (engine, vault) = (InMemoryEngine(), InMemoryVault())
    let store = try await filled(engine, vault)
    let row = try #require(engine.rows.keys.first { $0.space == 1 && $0.bytes.count == 32 })
    let bytes = engine.rows[row]
    engine.rows[row] = nil
    let error = await #expect(throws: StorageError.self) {
      try await store.rekey(to: InMemoryVault(name: Self.other))
    }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("in the vault other by now") == true)
    #expect(store.vaultName == Self.other)
    engine.rows[row] = bytes
    #expect(try isWhole(store))
  }
}
