import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// Rows of which there are two copies: one that is damaged takes nothing with it.
@Suite struct CopyTests {
  private let engine = InMemoryEngine()
  private let vault = InMemoryVault()

  private func reopened() async throws -> SecureStore {
    try await SecureStore.open(engine: engine.sibling(), vault: vault)
  }

  /// A store with so many entries, and the names of its rows that have copies.
  private func fill(_ count: Int) async throws -> [RowName] {
    let store = try await SecureStore.open(engine: engine, vault: vault)
    try await store.transaction { transaction throws(StorageError) in
      for index in 0..<count { try transaction.set("value \(index)", forKey: "key \(index)") }
    }
    let rows = engine.rows
    return rows.keys.filter { rows[RowName(space: $0.space ^ 128, bytes: $0.bytes)] != nil }
  }

  @Test(arguments: [3, 300, 4200])
  func `everything that is no value has a copy in another part of the tree`(count: Int)
    async throws
  {
    let copied = Set(try await fill(count))
    let alone = engine.rows.keys.filter { !copied.contains($0) }
    #expect(alone.count == count)
    #expect(alone.allSatisfy { $0.space == 1 && $0.bytes.count == 32 })
    #expect(copied.contains(RowName(space: 0, bytes: Array("anchor".utf8))))
    #expect((count > 4096) == copied.contains(RowName(space: 129, bytes: [0, 0, 0, 0, 1])))
    for row in copied {
      #expect(engine.rows[row] == engine.rows[RowName(space: row.space ^ 128, bytes: row.bytes)])
    }
  }

  @Test(arguments: [3, 300])
  func `a damaged copy, the first or the second, is named and takes no value with it`(count: Int)
    async throws
  {
    let copied = try await fill(count)
    let whole = engine.rows
    for row in copied {
      var bytes = try #require(whole[row])
      bytes[bytes.count / 2] ^= 1
      for damaged in [nil, bytes] {
        engine.rows[row] = damaged
        let store = try await reopened()
        let verification = try await store.verify()
        #expect(verification.verified == count)
        #expect(verification.damaged.count == 1)
        #expect(try store.keys().count == count)
        #expect(try store.string(forKey: "key 1") == "value 1")
        engine.rows = whole
      }
    }
  }

  @Test func `a change of key mends every copy`() async throws {
    let copied = try await fill(300)
    for row in copied where row.space >= 128 { engine.rows[row] = nil }
    let store = try await reopened()
    #expect(try await store.verify().damaged.count > 10)
    _ = try await store.rekey()
    #expect(try await store.verify() == StoreVerification(verified: 300, damaged: []))
    #expect(Set(engine.rows.keys).isSuperset(of: copied))
  }

  @Test func `a write of a part mends its copies`() async throws {
    _ = try await fill(3)
    for bytes in [[], Array("anchor".utf8)] as [[UInt8]] {
      for space in [0, 1, 128, 129] as [UInt8] {
        let row = RowName(space: space, bytes: bytes)
        if engine.rows[row] != nil { engine.rows[row] = [1, 2, 3] }
        let store = try await reopened()
        try await store.set("new", forKey: "key 1")
        #expect(try await store.verify() == StoreVerification(verified: 3, damaged: []))
      }
    }
  }

  @Test func `one namespace put back from an older copy as a whole is tampered`() async throws {
    let store = try await SecureStore.open(engine: engine, vault: vault)
    try await store.set("old", forKey: "a")
    try await store.set("1", forKey: "b", in: .outbox)
    let old = engine.rows
    try await store.set("new", forKey: "a")
    engine.rows.merge(old.filter { $0.key.space % 128 == 1 }) { _, old in old }
    await expect(.tampered) { try await reopened().string(forKey: "a") }
    #expect(try await reopened().string(forKey: "b", in: .outbox) == "1")
    #expect(try await reopened().verify().damaged == ["<namespace 1>"])
  }

  @Test func `an anchor that is gone is damage, and a forged one is tampered`() async throws {
    let store = try await SecureStore.open(engine: engine, vault: vault)
    try await store.set("1", forKey: "a")
    let whole = engine.rows
    for forged in [nil, [UInt8](repeating: 7, count: 206)] {
      for space in [0, 128] as [UInt8] {
        engine.rows[RowName(space: space, bytes: Array("anchor".utf8))] = forged
      }
      await expect(forged == nil ? .damaged : .tampered) { try await reopened() }
      await expect(forged == nil ? .damaged : .tampered) { try store.string(forKey: "b") }
      engine.rows = whole
    }
    #expect(try await reopened().string(forKey: "a") == "1")
  }

  @Test func `an old keyset is not the last one, though its key is right`() async throws {
    let store = try await SecureStore.open(engine: engine, vault: vault)
    let keysets = engine.rows.filter { $0.key.bytes == Array("keyset".utf8) }
    let key = try #require(try vault.rootKey())
    try await store.set("1", forKey: "a")
    _ = try await store.rekey()
    engine.rows.merge(keysets) { _, old in old }
    await expect(.tampered) {
      try await SecureStore.open(engine: engine.sibling(), vault: InMemoryVault(key: key))
    }
  }

  @Test func `thousands of entries stand in leaves under inner pages`() async throws {
    _ = try await fill(4200)
    let store = try await reopened()
    #expect(try store.keys().count == 4200)
    for index in stride(from: 0, to: 4200, by: 97) {
      #expect(try store.string(forKey: "key \(index)") == "value \(index)")
      try await store.set("new \(index)", forKey: "key \(index)")
      try await store.remove("key \(index + 1)")
    }
    let other = try await reopened()
    #expect(try other.string(forKey: "key 97") == "new 97")
    #expect(try other.string(forKey: "key 98") == nil)
    let verification = try await other.verify()
    #expect(verification.damaged == [])
    #expect(verification.verified == 4200 - 44)
    // A set seals a leaf, an inner page and the list itself, twice each, besides value and anchor.
    let before = engine.rows
    try await store.set("last", forKey: "key 0")
    let changed = engine.rows.filter { before[$0.key] != $0.value }
    #expect(changed.count == 9)
    #expect(changed.values.reduce(0) { $0 + $1.count } < 16_000)
  }
}
