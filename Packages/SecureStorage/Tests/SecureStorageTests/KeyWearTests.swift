import SecureStorageTesting
import Testing

@testable import SecureStorage

/// How often a key has sealed, and that it is followed by another in time.
@Suite struct KeyWearTests {
  private let engine = InMemoryEngine()
  private let vault = InMemoryVault()

  private func open(_ cipher: CipherName = .aes256GCM) async throws -> SecureStore {
    let options = StoreOptions(cipher: cipher)
    return try await SecureStore.open(engine: engine.sibling(), options: options, vault: vault)
  }

  /// What a transaction finds, or leaves, as the number of seals.
  private func seals(_ store: SecureStore, set number: UInt64? = nil) async throws -> UInt64 {
    try await store.transaction { transaction throws(StorageError) in
      if let number {
        transaction.anchor.seals = number
        transaction.mustAnchor = true
      }
      return transaction.anchor.seals
    }
  }

  @Test func `every seal counts, in every process`() async throws {
    let (store, other) = (try await open(), try await open())
    // Eight lists and the anchor.
    #expect(try await seals(store) == 9)
    // A value, its list and the anchor.
    try await store.set("value", forKey: "a")
    #expect(try await seals(other) == 12)
    try await other.transaction { transaction throws(StorageError) in
      for index in 0..<10 { try transaction.set("value", forKey: "\(index)") }
    }
    #expect(try await seals(store) == 24)
    let later = try await open()
    #expect(try await seals(later) == 24)
    try await store.remove("a")
    #expect(try await seals(other) == 26)
  }

  @Test func `what a failed transaction sealed counts with the next one`() async throws {
    let store = try await open()
    await expect(.misuse) {
      try await store.transaction { transaction throws(StorageError) in
        for index in 0..<10 { try transaction.set("value", forKey: "\(index)") }
        throw StorageError(.misuse, "changed my mind", advice: "")
      }
    }
    #expect(try await seals(store) == 9)
    try await store.set("value", forKey: "a")
    #expect(try await seals(store) == 22)
  }

  @Test func `a key of AES is followed by a fresh one when it has sealed half of what it may`()
    async throws
  {
    let (store, other) = (try await open(), try await open())
    try await store.set("old", forKey: "a")
    let first = try store.info().keyID
    _ = try await seals(store, set: (1 << 31) - 2)
    #expect(try other.info().keyID == first)
    try await other.set("new", forKey: "b")
    let second = try other.info().keyID
    #expect(second != first)
    #expect(try await seals(store) < 10)
    #expect(try store.info().keyID == second)
    #expect(try store.info().cipher == .aes256GCM)
    #expect(try store.string(forKey: "a") == "old")
    #expect(try store.string(forKey: "b") == "new")
    let verification = try await store.verify()
    #expect(verification == StoreVerification(verified: 2, damaged: []))
    try await store.set("newer", forKey: "b")
    #expect(try store.info().keyID == second)
  }

  @Test func `reading, and a transaction that changes nothing, bring no key`() async throws {
    let store = try await open()
    let first = try store.info().keyID
    _ = try await seals(store, set: 1 << 31)
    #expect(try await seals(store) > 1 << 31)
    #expect(try store.string(forKey: "a") == nil)
    #expect(try store.info().keyID == first)
  }

  @Test func `a change of the key begins at 0, and the default cipher does not wear`()
    async throws
  {
    let store = try await open(.xchacha20Poly1305)
    let first = try store.info().keyID
    _ = try await seals(store, set: 1 << 40)
    try await store.set("value", forKey: "a")
    #expect(try store.info().keyID == first)
    _ = try await store.rekey(cipher: .aes256GCM)
    #expect(try await seals(store) < 50)
  }
}
