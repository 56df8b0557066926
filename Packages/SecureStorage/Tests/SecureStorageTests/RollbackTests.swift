import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// A whole home put back from a copy, with a vault that counts.
@Suite struct RollbackTests {
  private let home = TemporaryHome()
  private let vault = InMemoryCountingVault()

  private func open(_ options: StoreOptions = StoreOptions()) async throws -> SecureStore {
    try await SecureStore.open(at: home.store, options: options, vault: vault)
  }

  private func files() -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in TemporaryHome.names(in: home.store) {
      files[name] = TemporaryHome.bytes(of: home.store + "/" + name)
    }
    return files
  }

  private func putBack(_ files: [String: [UInt8]]) {
    for name in ["store.db-shm", "store.db-wal"] where files[name] == nil {
      TemporaryHome.write([], to: home.store + "/" + name)
    }
    for (name, bytes) in files { TemporaryHome.write(bytes, to: home.store + "/" + name) }
  }

  @Test func `a directory put back after later commits is tampered`() async throws {
    let store = try await open()
    try await store.set("old", forKey: "a")
    store.close()
    let old = files()
    let later = try await open()
    #expect(later.notes == [])
    try await SecureSessionStorage(store: later).setAuthInfo(SecureSessionStorageTests.info())
    later.close()
    let new = files()
    putBack(old)
    await expect(.tampered) { try await open() }
    putBack(new)
    #expect(try await open().string(forKey: "a") == "old")
  }

  @Test func `a copy of a session does not come back after a wipe`() async throws {
    let store = try await open()
    let storage = SecureSessionStorage(store: store)
    try await storage.setAuthInfo(SecureSessionStorageTests.info())
    let copy = files()
    try await storage.wipe(reason: .userRequested)
    #expect(try storage.record().authInfo == nil)
    store.close()
    putBack(copy)
    await expect(.tampered) { try await open() }
  }

  @Test func `the session's rows put back after a wipe are no session`() async throws {
    let engine = InMemoryEngine()
    let store = try await SecureStore.open(engine: engine, vault: vault)
    let storage = SecureSessionStorage(store: store)
    try await storage.setAuthInfo(SecureSessionStorageTests.info())
    let before = engine.rows
    try await storage.wipe(reason: .userRequested)
    let mark = Array("wiped.2".utf8)
    var rows = engine.rows.filter { $0.key.bytes != mark }
    rows.merge(before.filter { $0.key.space % 128 == 2 }) { _, old in old }
    engine.rows = rows
    let other = try await SecureStore.open(engine: engine.sibling(), vault: vault)
    await expect(.damaged) { try SecureSessionStorage(store: other).record() }
  }

  @Test func `a wipe without a key is sealed by the next open`() async throws {
    let engine = InMemoryEngine()
    let store = try await SecureStore.open(engine: engine, vault: vault)
    try await SecureSessionStorage(store: store).setAuthInfo(SecureSessionStorageTests.info())
    let before = engine.rows
    // What a wipe on a store that is not open does.
    let mark = try await wipedMark()
    engine.rows = before.filter { $0.key.space % 128 != 2 }.merging(mark) { _, new in new }
    let anchor = RowName(space: 0, bytes: Array("anchor".utf8))
    let other = try await SecureStore.open(engine: engine.sibling(), vault: vault)
    #expect(try SecureSessionStorage(store: other).record().signOutReason == .userRequested)
    #expect(engine.rows[anchor] != before[anchor])
  }

  private func wipedMark() async throws -> [RowName: [UInt8]] {
    let engine = InMemoryEngine()
    let store = try await SecureStore.open(engine: engine, vault: InMemoryVault())
    try await SecureSessionStorage(store: store).wipe(reason: .userRequested)
    return engine.rows.filter { $0.key.bytes == Array("wiped.2".utf8) }
  }

  @Test func `a crash between a commit and its counting is no rollback`() async throws {
    let store = try await open()
    let before = vault.value
    vault.failCounting(with: StorageError(.vaultUnavailable, "gone", advice: ""))
    try await SecureSessionStorage(store: store).setAuthInfo(SecureSessionStorageTests.info())
    try await store.set("1", forKey: "a")
    #expect(vault.value == before)
    // Killed here: what is on disk is what the next process finds.
    let left = files()
    store.close()
    putBack(left)
    vault.failCounting(with: nil)
    let again = try await open()
    #expect(again.notes == [])
    #expect(try again.string(forKey: "a") == "1")
    #expect(vault.value == before.map { $0 + 1 })
    again.close()
    #expect(try await open().notes == [])
  }

  @Test func `commits that are not urgent are counted once a second, and at the end`() async throws
  {
    let clock = TestUptime()
    let store = try await open(StoreOptions(uptime: { clock.now }))
    let start = try #require(vault.value)
    for index in 0..<10 { try await store.set("\(index)", forKey: "a") }
    #expect(vault.value == start)
    clock.advance(.seconds(1))
    try await store.set("10", forKey: "a")
    #expect(vault.value == start + 1)
    try await store.set("11", forKey: "a")
    let uncounted = files()
    #expect(vault.value == start + 1)
    store.close()
    #expect(vault.value == start + 2)
    putBack(uncounted)
    // The same commit, counted or not: nothing is lost.
    let again = try await open()
    #expect(try again.string(forKey: "a") == "11")
    #expect(vault.value == start + 2)
  }

  @Test func `a deleted counter is said, and begins anew`() async throws {
    let store = try await open()
    try await store.set("1", forKey: "a")
    store.close()
    for value in [nil, 0] as [UInt64?] {
      vault.value = value
      let again = try await open()
      #expect(again.notes == [.counterLost(vault.name)])
      #expect(try again.string(forKey: "a") == "1")
      again.close()
      let last = try await open()
      #expect(last.notes == [])
      last.close()
    }
  }

  @Test func `a counter that cannot be read does not open the store unseen`() async throws {
    let store = try await open()
    store.close()
    vault.failCounting(with: StorageError(.vaultUnavailable, "gone", advice: ""))
    await expect(.vaultUnavailable) { try await open() }
    vault.failCounting(with: nil)
    _ = try await open()
  }

  @Test func `a chip's new counter may begin anywhere`() async throws {
    let vault = InMemoryCountingVault(first: 4711)
    let engine = InMemoryEngine()
    let store = try await SecureStore.open(engine: engine, vault: vault)
    #expect(store.notes == [])
    #expect(vault.value == 4712)
    try await SecureSessionStorage(store: store).setAuthInfo(SecureSessionStorageTests.info())
    #expect(vault.value == 4713)
    #expect(try await SecureStore.open(engine: engine.sibling(), vault: vault).notes == [])
    #expect(vault.value == 4713)
  }

  @Test func `moving to a vault that counts begins to count, and moving away ends it`()
    async throws
  {
    let engine = InMemoryEngine()
    let plain = InMemoryVault()
    let store = try await SecureStore.open(engine: engine, vault: plain)
    try await store.set("1", forKey: "a")
    let before = engine.rows
    _ = try await store.rekey(to: vault)
    let value = try #require(vault.value)
    try await SecureSessionStorage(store: store).setAuthInfo(nil)
    #expect(vault.value == value + 1)
    engine.rows = before
    // Its key is gone from the old vault, and the new one's is another store's.
    await expect(.keyLost) { try await SecureStore.open(engine: engine.sibling(), vault: plain) }
    let (other, back) = (InMemoryEngine(), InMemoryVault(name: VaultName(rawValue: "back")))
    let second = try await SecureStore.open(engine: other, vault: InMemoryCountingVault())
    _ = try await second.rekey(to: back)
    let copy = other.rows
    try await second.set("2", forKey: "a")
    other.rows = copy
    #expect(try await SecureStore.open(engine: other.sibling(), vault: back).notes == [])
  }

  @Test func `two processes take turns with one counter`() async throws {
    let engine = InMemoryEngine()
    let mine = try await SecureStore.open(engine: engine, vault: vault)
    let other = try await SecureStore.open(engine: engine.sibling(), vault: vault)
    for index in 0..<20 {
      try await mine.set("\(index)", forKey: "a")
      if index % 3 == 0 { try await other.set("\(index)", forKey: "b") }
      if index % 5 == 0 {
        try await SecureSessionStorage(store: other).setAuthInfo(SecureSessionStorageTests.info())
      }
      let third = try await SecureStore.open(engine: engine.sibling(), vault: vault)
      #expect(third.notes == [])
      #expect(try third.string(forKey: "a") == "\(index)")
    }
  }

  @Test func `a store put back while it is open is tampered`() async throws {
    let engine = InMemoryEngine()
    let store = try await SecureStore.open(engine: engine, vault: InMemoryVault())
    try await store.set("old", forKey: "a")
    let old = engine.rows
    try await store.set("new", forKey: "a")
    #expect(try store.string(forKey: "a") == "new")
    engine.rows = old
    await expect(.tampered) { try store.string(forKey: "a") }
    await expect(.tampered) { try await store.set("newer", forKey: "a") }
  }
}
