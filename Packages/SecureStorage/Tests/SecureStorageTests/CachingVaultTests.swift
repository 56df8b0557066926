import SecureStorageTesting
import SessionModels
import Synchronization
import Testing

@testable import SecureStorage

@Suite struct CachingVaultTests {
  /// A passphrase vault that counts how often it asks.
  private final class Asked: Sendable {
    let times = Atomic(0)
    let passphrase: Mutex<String?>

    init(_ passphrase: String?) { self.passphrase = Mutex(passphrase) }
  }

  private func vault(
    _ home: TemporaryHome,
    _ asked: Asked,
    _ cache: any KeyVault
  ) -> CachingVault<PassphraseVault> {
    let inner = PassphraseVault(
      path: home.store + "/store.passphrase",
      cost: KeyDerivationCost(passes: 1, memory: 64 * 1024)
    ) {
      asked.times.add(1, ordering: .relaxed)
      return asked.passphrase.withLock { $0 }.map { Secret($0) }
    }
    return CachingVault(inner, cache: cache)
  }

  @Test func `a passphrase is asked for once as long as its key is remembered`() async throws {
    let (home, asked, cache) = (TemporaryHome(), Asked("correct horse"), InMemoryVault())
    let store = try await SecureStore.open(at: home.store, vault: vault(home, asked, cache))
    try await store.set("1", forKey: "a")
    store.close()
    #expect(store.vaultName == .passphrase)
    let times = asked.times.load(ordering: .relaxed)
    asked.passphrase.withLock { $0 = nil }
    for _ in 0..<3 {
      let again = try await SecureStore.open(at: home.store, vault: vault(home, asked, cache))
      #expect(try again.string(forKey: "a") == "1")
      again.close()
    }
    #expect(asked.times.load(ordering: .relaxed) == times)
    vault(home, asked, cache).forgetCachedKey()
    await expect(.vaultLocked) {
      try await SecureStore.open(at: home.store, vault: vault(home, asked, cache))
    }
  }

  @Test func `a wrong passphrase is not remembered`() async throws {
    let (home, cache) = (TemporaryHome(), InMemoryVault())
    let store = try await SecureStore.open(
      at: home.store,
      vault: vault(home, Asked("right"), InMemoryVault())
    )
    store.close()
    await expect(.wrongKey) {
      try await SecureStore.open(at: home.store, vault: vault(home, Asked("wrong"), cache))
    }
    #expect(try cache.rootKey() == nil)
  }

  @Test func `a remembered key that is out of date is dropped, and the vault asked once`()
    async throws
  {
    let (home, asked) = (TemporaryHome(), Asked("correct horse"))
    let cache = InMemoryVault()
    let store = try await SecureStore.open(at: home.store, vault: vault(home, asked, cache))
    try await store.set("1", forKey: "a")
    store.close()
    try cache.setRootKey(.random())
    let times = asked.times.load(ordering: .relaxed)
    let again = try await SecureStore.open(at: home.store, vault: vault(home, asked, cache))
    #expect(try again.string(forKey: "a") == "1")
    #expect(asked.times.load(ordering: .relaxed) == times + 1)
    // A second open of an open store is asked for its key as well.
    try cache.setRootKey(.random())
    _ = try await SecureStore.open(at: home.store, vault: vault(home, asked, cache))
    again.close()
  }

  @Test func `another process's change of key is followed past what is remembered`() async throws {
    let (home, asked, cache) = (TemporaryHome(), Asked("correct horse"), InMemoryVault())
    let store = try await SecureStore.open(at: home.store, vault: vault(home, asked, cache))
    try await store.set("1", forKey: "a")
    let engine = try SQLiteEngine(directory: home.store, lockDeadline: .seconds(10))
    let other = try await SecureStore.open(
      engine: engine,
      vault: vault(home, asked, InMemoryVault())
    )
    _ = try await other.rekey()
    #expect(try store.string(forKey: "a") == "1")
    try await store.set("2", forKey: "a")
    #expect(try other.string(forKey: "a") == "2")
    other.close()
    store.close()
  }

  @Test func `what is remembered is never the only copy`() async throws {
    let (home, asked, cache) = (TemporaryHome(), Asked("correct horse"), InMemoryVault())
    let leftover = RootKey.random()
    try cache.setRootKey(leftover)
    let store = try await SecureStore.open(at: home.store, vault: vault(home, asked, cache))
    try await store.set("1", forKey: "a")
    store.close()
    #expect(try cache.rootKey()?.isSame(as: leftover) == false)
    vault(home, asked, cache).forgetCachedKey()
    let again = try await SecureStore.open(at: home.store, vault: vault(home, asked, cache))
    #expect(try again.string(forKey: "a") == "1")
    again.close()
    TemporaryHome.remove(home.store + "/store.passphrase")
    await expect(.keyLost) {
      try await SecureStore.open(at: home.store, vault: vault(home, asked, cache))
    }
  }

  @Test func `a cache that fails is passed over`() async throws {
    let (home, asked, cache) = (TemporaryHome(), Asked("correct horse"), InMemoryVault())
    for code in [StorageError.Code.vaultLocked, .vaultUnavailable, .keyLost] {
      cache.fail(with: StorageError(code, "m", advice: "a"))
      let store = try await SecureStore.open(at: home.store, vault: vault(home, asked, cache))
      try await store.set("1", forKey: "a")
      _ = try await store.rekey()
      store.close()
    }
  }

  @Test func `a key that is changed or forgotten is changed or forgotten in the cache`() throws {
    let (home, asked, cache) = (TemporaryHome(), Asked("correct horse"), InMemoryVault())
    let caching = vault(home, asked, cache)
    for _ in 0..<2 {
      let key = RootKey.random()
      try caching.setRootKey(key)
      #expect(try cache.rootKey()?.isSame(as: key) == true)
    }
    try caching.setRootKey(nil)
    #expect(try cache.rootKey() == nil)
  }

  #if KernelKeyring && os(Linux)
  @Test func `the kernel's keyring remembers for a time`() async throws {
    let (home, asked, account) = (TemporaryHome(), Asked("correct horse"), KeyringAccount())
    guard try account.isAllowed() else { return }
    let cache = account.vault(timeout: .seconds(600))
    let store = try await SecureStore.open(at: home.store, vault: vault(home, asked, cache))
    store.close()
    asked.passphrase.withLock { $0 = nil }
    let again = try await SecureStore.open(at: home.store, vault: vault(home, asked, cache))
    again.close()
  }
  #endif
}
