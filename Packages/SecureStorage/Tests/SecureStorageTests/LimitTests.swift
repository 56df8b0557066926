import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

@Suite struct LimitTests {
  private func open() async throws -> SecureStore {
    try await SecureStore.open(engine: InMemoryEngine(), vault: InMemoryVault())
  }

  @Test(arguments: ["", "a\0b", String(repeating: "k", count: 1025)])
  func `a key that is empty, holds a NUL or is too long is invalid input`(key: String) async throws
  {
    let store = try await open()
    await expect(.invalidInput) { try await store.set("v", forKey: key) }
    await expect(.invalidInput) { try store.string(forKey: key) }
    await expect(.invalidInput) { try await store.remove(key) }
  }

  @Test func `the longest key is taken`() async throws {
    let store = try await open()
    let key = String(repeating: "ü", count: 512)
    try await store.set("v", forKey: key)
    #expect(try store.keys() == [key])
  }

  @Test func `keys are compared as bytes, so NFC and NFD differ`() async throws {
    let store = try await open()
    let composed = "\u{FC}"
    let decomposed = "u\u{308}"
    try await store.set("1", forKey: composed)
    #expect(try store.string(forKey: decomposed) == nil)
    try await store.set("2", forKey: decomposed)
    #expect(try store.string(forKey: composed) == "1")
    #expect(try store.keys().count == 2)
  }

  @Test func `keys of every normal form are told apart by memory, file and transactions`()
    async throws
  {
    let engine = InMemoryEngine()
    let vault = InMemoryVault()
    let store = try await SecureStore.open(engine: engine, vault: vault)
    let keys = ["\u{FC}", "u\u{308}", "\u{212B}", "\u{C5}", "A\u{30A}", "e\u{301}", "\u{E9}"]
    for (index, key) in keys.enumerated() { try await store.set("\(index)", forKey: key) }
    let other = try await SecureStore.open(engine: engine.sibling(), vault: vault)
    for reader in [store, other] {
      for (index, key) in keys.enumerated() {
        for _ in 0..<2 { #expect(try reader.string(forKey: key) == "\(index)") }
      }
      #expect(Set(try reader.keys().map { Array($0.utf8) }) == Set(keys.map { Array($0.utf8) }))
    }
    let seen = try await store.transaction { transaction throws(StorageError) in
      try transaction.remove(keys[0])
      return try keys.map { key throws(StorageError) in try transaction.string(forKey: key) }
    }
    #expect(seen == [nil, "1", "2", "3", "4", "5", "6"])
    #expect(try other.string(forKey: keys[0]) == nil)
    #expect(try other.string(forKey: keys[1]) == "1")
  }

  @Test func `a namespace takes a million entries, and no more`() async throws {
    let engine = InMemoryEngine()
    let vault = InMemoryVault()
    let store = try await SecureStore.open(engine: engine, vault: vault)
    try await FullNamespace.make(.outbox, in: store, engine)
    let full = try await SecureStore.open(engine: engine.sibling(), vault: vault)
    await expect(.invalidInput) { try await full.set("1", forKey: "one more", in: .outbox) }
    #expect(try full.string(forKey: "one more", in: .outbox) == nil)
    // The others are not full, and what is there can be changed.
    try await full.set("1", forKey: "one more")
    try await full.set("2", forKey: FullNamespace.key, in: .outbox)
    try await full.remove(FullNamespace.key, in: .outbox)
    try await full.set("1", forKey: "one more", in: .outbox)
    await expect(.invalidInput) { try await full.set("1", forKey: "and one", in: .outbox) }
  }

  @Test func `a value of 16 MiB is kept, one byte more is invalid input`() async throws {
    let home = TemporaryHome()
    let store = try await home.open()
    let longest = Secret(bytes: [UInt8](repeating: 7, count: StoreLimits.valueBytes))
    try await store.set(longest, forKey: "a")
    #expect(try store.secret(forKey: "a") == longest)
    let longer = [UInt8](repeating: 7, count: StoreLimits.valueBytes + 1)
    await expect(.invalidInput) { try await store.set(longer, forKey: "a") }
    #expect(try store.secret(forKey: "a") == longest)
  }

  @Test func `values that are not UTF-8 come back as they were`() async throws {
    let store = try await open()
    try await store.set([0, 255, 254, 0], forKey: "a")
    #expect(try store.data(forKey: "a") == [0, 255, 254, 0])
  }

  @Test func `namespaces do not see one another's keys`() async throws {
    let store = try await open()
    try await store.set("1", forKey: "a", in: .outbox)
    #expect(try store.string(forKey: "a") == nil)
    #expect(try store.keys() == [])
    #expect(try store.keys(in: .outbox) == ["a"])
    #expect(StoreNamespace(rawValue: 9) == nil)
    #expect(StoreNamespace(rawValue: 8) != nil)
  }

  @Test func `a body that throws changes nothing`() async throws {
    let store = try await open()
    try await store.set("1", forKey: "a")
    await expect(.misuse) {
      try await store.transaction { transaction throws(StorageError) in
        try transaction.set("2", forKey: "a")
        throw StorageError(.misuse, "m", advice: "a")
      }
    }
    #expect(try store.string(forKey: "a") == "1")
  }

  @Test func `a transaction sees its own changes`() async throws {
    let store = try await open()
    let seen = try await store.transaction { transaction throws(StorageError) in
      try transaction.set("1", forKey: "a")
      let first = try transaction.string(forKey: "a")
      try transaction.remove("a")
      return [first, try transaction.string(forKey: "a")]
    }
    #expect(seen == ["1", nil])
  }

  @Test func `a write that fails is told, and what was there stays`() async throws {
    let engine = InMemoryEngine()
    let store = try await SecureStore.open(engine: engine, vault: InMemoryVault())
    try await store.set("1", forKey: "a")
    engine.failWrites(with: StorageError(.io, "the disk is full", advice: "Make room."))
    await expect(.io) { try await store.set("2", forKey: "a") }
    await expect(.io) { try await SecureSessionStorage(store: store).setAuthInfo(nil) }
    #expect(try store.string(forKey: "a") == "1")
  }

  @Test func `errors and descriptions hold no value`() async throws {
    let store = try await open()
    try await store.set("a very secret value", forKey: "a")
    let secret = try #require(try store.secret(forKey: "a"))
    #expect(!"\(secret)".contains("secret value"))
    #expect("\(RootKey.random())" == "<root key>")
    #expect(Mirror(reflecting: RootKey.random()).children.isEmpty)
  }

  @Test func `a store is refused to a child made by fork`() async throws {
    let home = TemporaryHome()
    let store = try await home.open()
    try await store.set("1", forKey: "a")
    #expect(try store.string(forKey: "a") == "1")
    // Swift hides fork; a C library in the app may call it all the same.
    let symbol = try #require(dlsym(dlopen(nil, RTLD_NOW), "fork"))
    let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
    let child = fork()
    if child == 0 {
      do throws(StorageError) {
        _ = try store.string(forKey: "a")
        _exit(1)
      } catch {
        _exit(error.code == .misuse ? 0 : 2)
      }
    }
    var status: Int32 = -1
    #expect(waitpid(child, &status, 0) == child)
    #expect(status == 0)
    #expect(try store.string(forKey: "a") == "1")
  }
}
