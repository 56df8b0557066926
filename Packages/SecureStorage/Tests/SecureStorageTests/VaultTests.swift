import Dispatch
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

@Suite struct VaultTests {
  private static let cheap = KeyDerivationCost(passes: 1, memory: 64 * 1024)

  private func vault(_ home: TemporaryHome, _ passphrase: String?) -> PassphraseVault {
    PassphraseVault(path: home.store + "/store.passphrase", cost: Self.cheap) {
      passphrase.map { Secret($0) }
    }
  }

  @Test func `a passphrase opens what it closed`() async throws {
    let home = TemporaryHome()
    let store = try await SecureStore.open(at: home.store, vault: vault(home, "correct horse"))
    try await store.set("1", forKey: "a")
    store.close()
    let again = try await SecureStore.open(at: home.store, vault: vault(home, "correct horse"))
    #expect(try again.string(forKey: "a") == "1")
    #expect(try again.info().vault == .passphrase)
  }

  @Test
  func `a wrong passphrase is a wrong key, none is a locked vault, a damaged file a lost key`()
    async throws
  {
    let home = TemporaryHome()
    let store = try await SecureStore.open(at: home.store, vault: vault(home, "correct horse"))
    store.close()
    for wrong in ["", "correct", "correct horse "] {
      await expect(.wrongKey) {
        try await SecureStore.open(at: home.store, vault: vault(home, wrong))
      }
    }
    await expect(.vaultLocked) {
      try await SecureStore.open(at: home.store, vault: vault(home, nil))
    }
    let file = home.store + "/store.passphrase"
    let bytes = TemporaryHome.bytes(of: file)
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 0x10
      TemporaryHome.write(damaged, to: file)
      await expect(.keyLost) {
        try await SecureStore.open(at: home.store, vault: vault(home, "correct horse"))
      }
    }
  }

  @Test func `an empty passphrase makes no store`() async throws {
    let home = TemporaryHome()
    await expect(.invalidInput) {
      try await SecureStore.open(at: home.store, vault: vault(home, ""))
    }
    #expect(try await SecureStore.vaultName(ofStoreAt: home.store) == nil)
  }

  @Test func `a change of passphrase seals no value again`() async throws {
    let home = TemporaryHome()
    let store = try await SecureStore.open(at: home.store, vault: vault(home, "old"))
    try await store.set("1", forKey: "a")
    store.close()
    let database = TemporaryHome.bytes(of: home.store + "/store.db")
    try await vault(home, "old").changePassphrase(to: Secret("new"))
    await expect(.wrongKey) { try await vault(home, "old").changePassphrase(to: Secret("x")) }
    #expect(TemporaryHome.bytes(of: home.store + "/store.db") == database)
    await expect(.wrongKey) {
      try await SecureStore.open(at: home.store, vault: vault(home, "old"))
    }
    let again = try await SecureStore.open(at: home.store, vault: vault(home, "new"))
    #expect(try again.string(forKey: "a") == "1")
  }

  @Test func `a change of key does not bring back a passphrase that was changed meanwhile`()
    async throws
  {
    let home = TemporaryHome()
    let store = try await SecureStore.open(at: home.store, vault: vault(home, "old"))
    try await store.set("1", forKey: "a")
    try await vault(home, "old").changePassphrase(to: Secret("new"))
    await expect(.wrongKey) { try await store.rekey() }
    store.close()
    let again = try await SecureStore.open(at: home.store, vault: vault(home, "new"))
    #expect(try again.string(forKey: "a") == "1")
    _ = try await again.rekey(to: FileVault(path: home.keyFile))
    #expect(!TemporaryHome.names(in: home.store).contains("store.passphrase"))
    #expect(try again.string(forKey: "a") == "1")
    again.close()
    #expect(try await home.open().string(forKey: "a") == "1")
  }

  @Test func `another vault than the store's is refused, and the store's is known without a key`()
    async throws
  {
    let home = TemporaryHome()
    let store = try await home.open()
    store.close()
    await expect(.otherVault) {
      try await SecureStore.open(at: home.store, vault: vault(home, "x"))
    }
    #expect(try await SecureStore.vaultName(ofStoreAt: home.store) == .file)
    let chosen = try await SecureStore.open(at: home.store) { recorded in
      #expect(recorded == .file)
      return FileVault(path: home.keyFile)
    }
    #expect(chosen.vaultName == .file)
  }

  @Test func `R14: a vault that is locked, unreachable or silent changes nothing`() async throws {
    let engine = InMemoryEngine()
    let vault = InMemoryVault()
    let store = try await SecureStore.open(engine: engine, vault: vault)
    try await store.set("1", forKey: "a")
    let rows = engine.rows
    for code in [StorageError.Code.vaultLocked, .vaultUnavailable] {
      vault.fail(with: StorageError(code, "m", advice: "a"))
      await expect(code) { try await SecureStore.open(engine: engine.sibling(), vault: vault) }
    }
    let silent = SilentVault()
    await expect(.vaultUnavailable) {
      try await SecureStore.open(engine: engine.sibling(), vault: silent)
    }
    silent.end()
    vault.fail(with: nil)
    let again = try await SecureStore.open(engine: engine.sibling(), vault: vault)
    #expect(try again.string(forKey: "a") == "1")
    #expect(engine.rows == rows)
  }

  @Test func `R15: a key without its store is noted, a store without its key is lost`()
    async throws
  {
    let key = RootKey.random()
    let fresh = try await SecureStore.open(
      engine: InMemoryEngine(),
      vault: InMemoryVault(key: key)
    )
    #expect(fresh.notes == [.leftoverKey(VaultName(rawValue: "in-memory"))])
    let engine = InMemoryEngine()
    _ = try await SecureStore.open(engine: engine, vault: InMemoryVault())
    await expect(.keyLost) {
      try await SecureStore.open(engine: engine.sibling(), vault: InMemoryVault())
    }
    await expect(.wrongKey) {
      try await SecureStore.open(engine: engine.sibling(), vault: InMemoryVault(key: key))
    }
  }

  @Test func `the vault is asked once for an open`() async throws {
    let engine = InMemoryEngine()
    let vault = InMemoryVault()
    _ = try await SecureStore.open(engine: engine, vault: vault)
    let before = vault.calls
    _ = try await SecureStore.open(engine: engine.sibling(), vault: vault)
    #expect(vault.calls == before + 1)
  }
}

/// A vault whose daemon hangs.
private final class SilentVault: KeyVault {
  private let silence = DispatchSemaphore(value: 0)

  var name: VaultName { VaultName(rawValue: "in-memory") }
  var patience: Duration { .milliseconds(20) }

  func rootKey() throws(StorageError) -> RootKey? {
    silence.wait()
    return nil
  }

  func setRootKey(_ key: RootKey?) throws(StorageError) {}

  /// Lets the thread that waits go.
  func end() { silence.signal() }
}
