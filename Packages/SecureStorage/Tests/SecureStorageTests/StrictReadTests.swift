import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// Reads that keep nothing opened in memory.
@Suite struct StrictReadTests {
  private let engine = InMemoryEngine()
  private let vault = InMemoryVault()
  private let strict = StoreOptions(reads: .strict)

  @Test func `a strict store answers as any other does`() async throws {
    let store = try await SecureStore.open(engine: engine, options: strict, vault: vault)
    let other = try await SecureStore.open(engine: engine.sibling(), vault: vault)
    for index in 0..<20 {
      try await other.set("\(index)", forKey: "a")
      for _ in 0..<3 { #expect(try store.string(forKey: "a") == "\(index)") }
      #expect(try store.string(forKey: "b") == nil)
    }
    try await other.remove("a")
    #expect(try store.string(forKey: "a") == nil)
    let storage = SecureSessionStorage(store: store)
    try await storage.setAuthInfo(SecureSessionStorageTests.info())
    for _ in 0..<2 { #expect(try storage.record().authInfo == SecureSessionStorageTests.info()) }
  }

  @Test func `a change of key does not take from memory what is there`() async throws {
    let store = try await SecureStore.open(engine: engine, options: strict, vault: vault)
    let other = try await SecureStore.open(engine: engine.sibling(), vault: vault)
    try await store.set("1", forKey: "a")
    #expect(try store.string(forKey: "a") == "1")
    for _ in 0..<2 {
      _ = try await other.rekey()
      #expect(try store.string(forKey: "a") == "1")
      _ = try await store.rekey()
      #expect(try store.string(forKey: "a") == "1")
    }
  }

  @Test(arguments: [ReadMode.cached, .strict])
  func `each read of a strict store gives a secret of its own`(mode: ReadMode) async throws {
    let options = StoreOptions(reads: mode)
    let store = try await SecureStore.open(engine: engine, options: options, vault: vault)
    try await store.set("1", forKey: "a")
    func address() throws -> Int? {
      try store.secret(forKey: "a")?.withBytes { Int(bitPattern: $0.baseAddress) }
    }
    let held = try store.secret(forKey: "a")
    let first = held?.withBytes { Int(bitPattern: $0.baseAddress) }
    #expect((try address() == first) == (mode == .cached))
    #expect(held == Secret("1"))
  }
}
