import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// What an attacker, or a bad disk, can do to single rows.
@Suite struct RowDamageTests {
  private let engine = InMemoryEngine()
  private let vault = InMemoryVault()

  private func open() async throws -> SecureStore {
    try await SecureStore.open(engine: engine, vault: vault)
  }

  /// The rows of values in the user's namespace: those with a hashed name.
  private func valueRows() -> [RowName] {
    engine.rows.keys.filter { $0.space == 1 && $0.bytes.count == 32 }
  }

  @Test func `a vanished row is damaged, and the others stay readable`() async throws {
    let store = try await open()
    try await store.set("1", forKey: "a")
    let first = Set(valueRows())
    try await store.set("2", forKey: "b")
    let row = try #require(valueRows().first { !first.contains($0) })
    engine.rows[row] = nil
    await expect(.damaged) { try store.string(forKey: "b") }
    #expect(try store.string(forKey: "a") == "1")
    let verification = try await store.verify()
    #expect(verification == StoreVerification(verified: 1, damaged: ["b"]))
    try await store.remove("b")
    #expect(try store.string(forKey: "b") == nil)
    #expect(try await store.verify().damaged == [])
  }

  @Test func `an older version of a row is tampered`() async throws {
    let store = try await open()
    try await store.set("old", forKey: "a")
    let row = try #require(valueRows().first)
    let old = engine.rows[row]
    try await store.set("new", forKey: "a")
    engine.rows[row] = old
    await expect(.tampered) { try store.string(forKey: "a") }
    #expect(try await store.verify().damaged == ["a"])
    try await store.set("newer", forKey: "a")
    #expect(try store.string(forKey: "a") == "newer")
  }

  @Test func `a removed row that is put back is tampered, not present and not absent`()
    async throws
  {
    let store = try await open()
    try await store.set("1", forKey: "a")
    let row = try #require(valueRows().first)
    let bytes = engine.rows[row]
    try await store.remove("a")
    engine.rows[row] = bytes
    await expect(.tampered) { try store.string(forKey: "a") }
    #expect(try await store.verify().damaged.count == 1)
    try await store.remove("a")
    #expect(try store.string(forKey: "a") == nil)
  }

  @Test func `two rows that changed places are tampered`() async throws {
    let store = try await open()
    try await store.set("1", forKey: "a")
    try await store.set("2", forKey: "b")
    let rows = valueRows()
    try #require(rows.count == 2)
    let copy = engine.rows
    engine.rows[rows[0]] = copy[rows[1]]
    engine.rows[rows[1]] = copy[rows[0]]
    await expect(.tampered) { try store.string(forKey: "a") }
    await expect(.tampered) { try store.string(forKey: "b") }
  }

  @Test func `a vanished list is damaged, and so is a vanished part of one`() async throws {
    let store = try await open()
    try await store.transaction { transaction throws(StorageError) in
      for index in 0..<300 { try transaction.set("v", forKey: "key \(index)") }
    }
    let lists = engine.rows.keys.filter { $0.space == 1 && $0.bytes.count < 32 }
    #expect(lists.count > 4)
    let whole = engine.rows
    for list in lists {
      for copy in [list, RowName(space: 129, bytes: list.bytes)] { engine.rows[copy] = nil }
      // Another process: this one knows the parts that it has read.
      let other = try await SecureStore.open(engine: engine.sibling(), vault: vault)
      await expect(.damaged) { try other.keys() }
      #expect(try await other.verify().damaged == ["<namespace 1>"])
      if list.bytes.isEmpty { await expect(.damaged) { try other.string(forKey: "absent") } }
      engine.rows = whole
    }
  }

  @Test func `every flipped bit of every row is noticed or mended by the row's second copy`()
    async throws
  {
    let store = try await open()
    try await store.set("value", forKey: "a")
    try await SecureSessionStorage(store: store).setAuthInfo(SecureSessionStorageTests.info())
    store.close()
    let whole = engine.rows
    var noticed = 0
    for (row, bytes) in whole where row.space < 3 {
      let copy = RowName(space: row.space + 128, bytes: row.bytes)
      for place in bytes.indices {
        var damaged = bytes
        damaged[place] ^= 0x40
        engine.rows[row] = damaged
        if whole[copy] != nil {
          let opened = try await SecureStore.open(engine: engine.sibling(), vault: vault)
          #expect(try opened.string(forKey: "a") == "value")
          let record = try SecureSessionStorage(store: opened).record()
          #expect(record.authInfo == SecureSessionStorageTests.info())
          engine.rows[copy] = damaged
        }
        do {
          let opened = try await SecureStore.open(engine: engine.sibling(), vault: vault)
          _ = try opened.string(forKey: "a")
          _ = try SecureSessionStorage(store: opened).record()
          Issue.record("byte \(place) of row \(row) was not noticed")
        } catch {
          noticed += 1
        }
        engine.rows[copy] = whole[copy]
      }
      engine.rows[row] = bytes
    }
    #expect(noticed > 500)
  }

  @Test func `a damaged keyset is a lost key, and no new one is made`() async throws {
    let store = try await open()
    try await store.set("value", forKey: "a")
    store.close()
    let row = RowName(space: 0, bytes: Array("keyset".utf8))
    let copy = RowName(space: 128, bytes: row.bytes)
    let keyset = try #require(engine.rows[row])
    let flipped = Array(keyset.dropLast()) + [keyset[keyset.count - 1] ^ 1]
    for damaged in [nil, flipped] {
      engine.rows[row] = damaged
      engine.rows[copy] = damaged
      await expect(.keyLost) { try await open() }
      #expect(engine.rows[row] == damaged)
      engine.rows[copy] = keyset
      #expect(try await open().string(forKey: "a") == "value")
      engine.rows[row] = keyset
      engine.rows[copy] = damaged
      #expect(try await open().string(forKey: "a") == "value")
    }
  }

  @Test func `a session that is both wiped and there is tampered`() async throws {
    let store = try await open()
    let storage = SecureSessionStorage(store: store)
    try await storage.setAuthInfo(SecureSessionStorageTests.info())
    let before = engine.rows
    try await storage.wipe(reason: .userRequested)
    engine.rows.merge(before) { new, _ in new }
    await expect(.tampered) { try storage.record() }
  }
}
