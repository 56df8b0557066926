import SecureStorageTesting
import Testing

@testable import SecureStorage

/// Which cipher seals a store, and what happens where it is not to be had.
@Suite struct CipherChoiceTests {
  private let engine = InMemoryEngine()
  private let vault = InMemoryVault()
  private let withoutAES: StoreOptions = {
    var options = StoreOptions()
    options.suite = CipherSuite(aes: nil)
    return options
  }()

  private func open(_ options: StoreOptions = StoreOptions()) async throws -> SecureStore {
    try await SecureStore.open(engine: engine.sibling(), options: options, vault: vault)
  }

  @Test func `a new store has the default cipher, or the one that is asked for`() async throws {
    #expect(try await open().info().cipher == .xchacha20Poly1305)
    let other = try await SecureStore.open(
      engine: InMemoryEngine(),
      options: StoreOptions(cipher: .aes256GCM),
      vault: InMemoryVault()
    )
    try await other.set("value", forKey: "a")
    #expect(try other.info().cipher == .aes256GCM)
    #expect(try await other.verify().damaged == [])
  }

  @Test func `a store that exists keeps its cipher until it is changed with the key`()
    async throws
  {
    let store = try await open(StoreOptions(cipher: .aes256GCM))
    try await store.set("value", forKey: "a")
    let other = try await open(StoreOptions(cipher: .xchacha20Poly1305))
    #expect(try other.info().cipher == .aes256GCM)
    for cipher in [CipherName.xchacha20Poly1305, .aes256GCM] {
      _ = try await store.rekey(cipher: cipher)
      #expect(try store.info().cipher == cipher)
      // Another process follows.
      try await other.set("\(cipher)", forKey: "b")
      #expect(try other.info().cipher == cipher)
      #expect(try store.string(forKey: "b") == "\(cipher)")
      #expect(try await open().string(forKey: "a") == "value")
      _ = try await other.rekey()
      #expect(try store.info().cipher == cipher)
    }
  }

  @Test func `a crash while the cipher changes leaves every value readable`() async throws {
    let names = (0..<600).map { "key \($0)" }
    for commits in 0..<8 {
      let (engine, vault) = (InMemoryEngine(), InMemoryVault())
      let store = try await SecureStore.open(engine: engine, vault: vault)
      try await store.transaction { transaction throws(StorageError) in
        for name in names { try transaction.set("value", forKey: name) }
      }
      engine.failWrites(after: commits, with: StorageError(.io, "crash", advice: ""))
      _ = try? await store.rekey(cipher: .aes256GCM)
      engine.failWrites(with: nil)
      let again = try await SecureStore.open(engine: engine.sibling(), vault: vault)
      let verification = try await again.verify()
      #expect(verification == StoreVerification(verified: names.count, damaged: []))
      _ = try await again.rekey(cipher: .aes256GCM)
      #expect(try await again.verify().verified == names.count)
      #expect(try store.info().cipher == .aes256GCM)
    }
  }

  @Test func `a processor without AES makes no store with it, and no key`() async throws {
    var options = withoutAES
    options.cipher = .aes256GCM
    await expect(.cipherUnavailable) { try await open(options) }
    #expect(try vault.rootKey() == nil)
    let store = try await open(withoutAES)
    try await store.set("value", forKey: "a")
    let before = engine.rows
    await expect(.cipherUnavailable) { try await store.rekey(cipher: .aes256GCM) }
    #expect(engine.rows == before)
  }

  @Test func `a store with AES says so where the processor lacks it, and is left alone`()
    async throws
  {
    let store = try await open(StoreOptions(cipher: .aes256GCM))
    try await store.set("value", forKey: "a")
    let before = engine.rows
    let error = await #expect(throws: StorageError.self) { try await open(withoutAES) }
    #expect(error?.code == .cipherUnavailable)
    #expect(error?.description.contains("store rekey --cipher xchacha20-poly1305") == true)
    #expect(engine.rows == before)
    #expect(try await open().string(forKey: "a") == "value")
  }

  @Test func `a store that another process moved to AES says so, too`() async throws {
    let poor = try await open(withoutAES)
    try await poor.set("value", forKey: "a")
    _ = try await open().rekey(cipher: .aes256GCM)
    await expect(.cipherUnavailable) { try poor.string(forKey: "a") }
    await expect(.cipherUnavailable) { try await poor.set("other", forKey: "a") }
    await expect(.cipherUnavailable) { try await poor.verify() }
    _ = try await open().rekey(cipher: .xchacha20Poly1305)
    #expect(try poor.string(forKey: "a") == "value")
  }

  @Test func `a cipher that nobody knows is refused, and in a store it is a newer format`()
    async throws
  {
    let unknown = CipherName(rawValue: "rot13")
    await expect(.invalidInput) { try await open(StoreOptions(cipher: unknown)) }
    let store = try await open()
    await expect(.invalidInput) { try await store.rekey(cipher: unknown) }
    let storeID = try #require(engine.rows[.storeID].flatMap(Checksummed.payload(of:)))
    let root = try #require(try vault.rootKey())
    let keyring = try KeysetRow.open(engine.rows[.keyset], with: root, storeID: storeID)
    // An old key's cipher counts as well as that of the key that seals.
    for later in [
      keyring.rotated(cipher: unknown, random: .system),
      keyring.rotated(cipher: unknown, random: .system)
        .rotated(cipher: .xchacha20Poly1305, random: .system),
    ] {
      let row = KeysetRow.seal(later, with: root, storeID: storeID, random: .system)
      engine.rows[.keyset] = row
      engine.rows[RowName.keyset.copy] = row
      await expect(.newerFormat) { try await open() }
    }
  }
}
