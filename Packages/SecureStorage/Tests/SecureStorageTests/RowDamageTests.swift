import SecureStorageTesting
import SessionModels
import Testing

@testable import SecureStorage

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

  /// A row that somebody put there, and what it is called.
  struct StrangeRow: Sendable {
    let row: RowName
    let words: String

    init(_ space: UInt8, _ bytes: [UInt8], _ words: String) {
      row = RowName(space: space, bytes: bytes)
      self.words = words
    }
  }

  private static let hash = [UInt8](repeating: 0xAB, count: 32)

  @Test(arguments: [
    StrangeRow(0, [1, 2], "<row 0102 of space 0>"), StrangeRow(9, [1, 2], "<row 0102 of space 9>"),
    StrangeRow(9, [], "<row  of space 9>"), StrangeRow(9, hash, "<row abababab of space 9>"),
    StrangeRow(127, [1], "<row 01 of space 127>"), StrangeRow(137, [1], "<row 01 of space 137>"),
    StrangeRow(200, [7], "<row 07 of space 200>"), StrangeRow(255, [7], "<row 07 of space 255>"),
    StrangeRow(129, hash, "<row abababab of space 129>"),
    StrangeRow(1, hash, "<row abababab>"), StrangeRow(1, [5, 6, 7], "<row 050607>"),
    // A leaf and an inner page of a list that has none.
    StrangeRow(1, [0, 0, 0, 0], "<row 00000000>"),
    StrangeRow(1, [0, 0, 0, 0, 1], "<row 00000000>"),
    StrangeRow(1, [0, 0, 0, 0, 2], "<row 00000000>"),
    StrangeRow(2, [0, 0, 0, 9], "<row 00000009>"),
  ])
  func `a row in a place where none belongs is named`(strange: StrangeRow) async throws {
    let store = try await open()
    try await store.set("1", forKey: "a")
    #expect(try await store.verify() == StoreVerification(verified: 1, damaged: []))
    engine.rows[strange.row] = [1, 2, 3]
    let verification = try await store.verify()
    #expect(verification == StoreVerification(verified: 1, damaged: [strange.words]))
  }

  @Test(arguments: [true, false])
  func `a mark of a sign-out that says nothing is named once`(isTwice: Bool) async throws {
    let store = try await open()
    try await store.set("1", forKey: "a")
    let mark = RowName.wipedMark(of: .session)
    engine.rows[mark] = Array("y".utf8)
    if isTwice { engine.rows[mark.copy] = Array("y".utf8) }
    let verification = try await store.verify()
    #expect(verification == StoreVerification(verified: 1, damaged: ["<sign-out mark>"]))
  }

  @Test func `a mark of a sign-out that says something is no damage`() async throws {
    let store = try await open()
    try await store.set("1", forKey: "a")
    try await SecureSessionStorage(store: store).wipe(reason: .userRequested)
    #expect(try await store.verify().damaged == [])
    let mark = RowName.wipedMark(of: .session)
    guard engine.rows[mark] != nil else { return }
    engine.rows[mark.copy] = nil
    #expect(try await store.verify().damaged == ["<sign-out mark>"])
  }

  @Test func `a part of a list that is damaged is named once`() async throws {
    let store = try await open()
    try await store.transaction { transaction throws(StorageError) in
      for index in 0..<300 { try transaction.set("\(index)", forKey: "key \(index)") }
    }
    let leaf = RowName.leaf(0, of: .user)
    try #require(engine.rows[leaf] != nil)
    engine.rows[leaf] = [1]
    let once = try await store.verify()
    #expect(once.damaged == ["<list of namespace 1> leaf 0"])
    engine.rows[leaf.copy] = [1]
    let lost = try await open().verify()
    #expect(lost.damaged.count == Set(lost.damaged).count && !lost.damaged.isEmpty)
  }
}
