#if SecretService && os(Linux)
import SecureStorage
import SessionModels
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Against the real keyring daemon.
@Suite struct SecretServiceVaultTests {
  @Test func `absent, set, replaced, forgotten`() throws {
    let keyring = try PrivateKeyring()
    let vault = keyring.vault()
    #expect(try vault.rootKey() == nil)
    let (first, second) = (RootKey.random(), RootKey.random())
    try vault.setRootKey(first)
    #expect(try vault.rootKey().map(bytes) == bytes(first))
    try vault.setRootKey(second)
    #expect(try vault.rootKey().map(bytes) == bytes(second))
    #expect(try keyring.items().count == 2)
    try vault.setRootKey(nil)
    #expect(try vault.rootKey() == nil)
    #expect(try keyring.items() == [])
    try vault.setRootKey(nil)
  }

  @Test func `accounts are apart, whatever letters they have`() throws {
    let keyring = try PrivateKeyring()
    // The last two look the same and are other bytes.
    let accounts = ["", "a b", "/ä'\"\\/日本", "/jo\u{308}rg", "/j\u{f6}rg"]
    let keys = accounts.map { _ in RootKey.random() }
    for (account, key) in zip(accounts, keys) { try keyring.vault(account).setRootKey(key) }
    for (account, key) in zip(accounts, keys) {
      #expect(try keyring.vault(account).rootKey().map(bytes) == bytes(key), "\(account)")
    }
    try keyring.vault(accounts[0]).setRootKey(nil)
    #expect(try keyring.vault(accounts[1]).rootKey() != nil)
    #expect(throws: StorageError.self) { try keyring.vault("a\0b").rootKey() }
  }

  @Test func `a key survives the daemon, and is locked until it is unlocked`() async throws {
    let keyring = try PrivateKeyring()
    let vault = keyring.vault()
    let key = RootKey.random()
    try vault.setRootKey(key)
    _ = try vault.count()
    try await keyring.killDaemon()
    try keyring.start(unlocking: false)
    try expectLocked(vault)
    try keyring.unlock()
    #expect(try vault.rootKey().map(bytes) == bytes(key))
    #expect(try vault.counter() == 1)
    try keyring.lock()
    try expectLocked(vault)
    // Nothing was made beside what could not be seen.
    try keyring.unlock()
    #expect(try keyring.items().count == 2)
  }

  @Test func `a locked keyring without our item is locked, not empty`() throws {
    let keyring = try PrivateKeyring()
    try keyring.lock()
    try expectLocked(keyring.vault("/never seen"))
  }

  @Test func `four causes, four messages`() async throws {
    let keyring = try PrivateKeyring()
    try keyring.lock()
    let locked = try #require(throws: StorageError.self) { try keyring.vault().rootKey() }
    #expect(locked.code == .vaultLocked)
    let bare = try PrivateKeyring(withKeyring: false)
    let noCollection = try #require(throws: StorageError.self) { try bare.vault().rootKey() }
    #expect(throws: noCollection) { try bare.vault().setRootKey(.random()) }
    try bare.vault().setRootKey(nil)
    let bus = try PrivateBus(TemporaryHome())
    let vault = SecretServiceVault(account: "a", busAddress: bus.address)
    let noDaemon = try #require(throws: StorageError.self) { try vault.rootKey() }
    bus.stop()
    let noBus = try #require(throws: StorageError.self) { try vault.rootKey() }
    let others = [noCollection, noDaemon, noBus]
    #expect(others.allSatisfy { $0.code == .vaultUnavailable })
    #expect(Set((others + [locked]).map(\.message)).count == 4)
    #expect(Set((others + [locked]).map(\.advice)).count == 4)
  }

  @Test func `a daemon that dies or cannot be started is unavailable, and one that is back serves`()
    async throws
  {
    let keyring = try PrivateKeyring()
    let vault = keyring.vault()
    try vault.setRootKey(.random())
    keyring.forbidStarting()
    try await keyring.killDaemon()
    await expect(.vaultUnavailable) { try vault.rootKey() }
    await expect(.vaultUnavailable) { try vault.setRootKey(.random()) }
    await expect(.vaultUnavailable) { try vault.setRootKey(nil) }
    try keyring.start(unlocking: true)
    #expect(try vault.rootKey() != nil)
  }

  @Test func `a daemon that hangs costs the patience and no more`() async throws {
    let keyring = try PrivateKeyring()
    let home = TemporaryHome()
    let store = try await SecureStore.open(at: home.store, vault: keyring.vault())
    try await store.set("1", forKey: "a")
    store.close()
    try keyring.signal(SIGSTOP)
    let hasty = keyring.vault(patience: .milliseconds(200))
    let answer = await #expect(throws: StorageError.self) {
      try await SecureStore.open(at: home.store, vault: hasty)
    }
    #expect(answer?.code == .vaultUnavailable)
    #expect(answer?.message.contains("did not answer") == true)
    await expect(.vaultUnavailable) { try hasty.rootKey() }
    await expect(.vaultUnavailable) { try hasty.setRootKey(.random()) }
    try keyring.signal(SIGCONT)
    let again = try await SecureStore.open(at: home.store, vault: keyring.vault())
    #expect(try again.string(forKey: "a") == "1")
  }

  @Test func `an item that holds no key is a lost key`() async throws {
    for content in ["", "bm90IGEga2V5", "!", String(repeating: "A", count: 44)] {
      let keyring = try PrivateKeyring()
      try keyring.addItem(content, kind: "key")
      try keyring.addItem(content, kind: "counter")
      await expect(.keyLost) { try keyring.vault().rootKey() }
      // A spoilt counter is none, as one that somebody deleted.
      #expect(try keyring.vault().counter() == nil)
      #expect(try keyring.vault().count() == 1)
      // A new key replaces it.
      try keyring.vault().setRootKey(.random())
      #expect(try keyring.vault().rootKey() != nil)
    }
  }

  @Test func `of copies the last written counts, and a change leaves one`() throws {
    let keyring = try PrivateKeyring()
    let vault = keyring.vault()
    let first = RootKey.random()
    try vault.setRootKey(first)
    try keyring.addItem("damaged", kind: "key")
    #expect(try vault.rootKey().map(bytes) == bytes(first))
    try keyring.addItem("AAAAAAAAAAU=", kind: "counter")
    try keyring.addItem("AAAAAAAAAAM=", kind: "counter")
    #expect(try vault.counter() == 5)
    #expect(try vault.count() == 6)
    #expect(try vault.counter() == 6)
    let key = RootKey.random()
    try vault.setRootKey(key)
    #expect(try vault.rootKey().map(bytes) == bytes(key))
    #expect(try keyring.items().count == 2)
  }

  @Test func `the counter begins with the first key, only goes up, and is forgotten with the key`()
    throws
  {
    let keyring = try PrivateKeyring()
    let vault = keyring.vault()
    #expect(try vault.counter() == nil)
    try vault.setRootKey(.random())
    #expect(try vault.counter() == 0)
    #expect(try vault.count() == 1)
    try vault.setRootKey(.random())
    #expect(try vault.count() == 2)
    #expect(try keyring.vault("other").counter() == nil)
    try vault.setRootKey(nil)
    #expect(try vault.counter() == nil)
    #expect(try vault.count() == 1)
  }

  @Test func `two that set a key at once leave one item`() async throws {
    let keyring = try PrivateKeyring()
    let keys = (0..<4).map { _ in RootKey.random() }
    await withTaskGroup { group in
      for key in keys {
        // One that finds the other's key when it looks again says so.
        group.addTask { try? keyring.vault().setRootKey(key) }
      }
    }
    let kept = try #require(try keyring.vault().rootKey().map(bytes))
    #expect(keys.map(bytes).contains(kept))
    #expect(try keyring.items().count == 2)
  }

  @Test func `unlocking is told, and so is a daemon that comes`() async throws {
    let keyring = try PrivateKeyring()
    try keyring.lock()
    let (told, continuation) = AsyncStream<Void>.makeStream()
    var calls = told.makeAsyncIterator()
    do {
      let observation = try #require(
        keyring.vault().observeUnlocking { continuation.yield() }
      )
      try keyring.unlock()
      await calls.next()
      #expect(throws: Never.self) { try keyring.vault().rootKey() }
      try await keyring.killDaemon()
      await calls.next()
      try keyring.start(unlocking: true)
      await calls.next()
      withExtendedLifetime(observation) {}
    }
    let bus = try PrivateBus(TemporaryHome())
    bus.stop()
    let nobody = SecretServiceVault(account: "a", busAddress: bus.address)
    #expect(nobody.observeUnlocking {} == nil)
  }

  @Test func `R15: a home put back is noticed, and one that was copied elsewhere has no key`()
    async throws
  {
    let keyring = try PrivateKeyring()
    let home = TemporaryHome()
    let vault = keyring.vault(home.store)
    let store = try await SecureStore.open(at: home.store, vault: vault)
    try await SecureSessionStorage(store: store).setAuthInfo(SecureSessionStorageTests.info())
    store.close()
    let names = TemporaryHome.names(in: home.store)
    let copy = names.map { ($0, TemporaryHome.bytes(of: home.store + "/" + $0)) }
    let later = try await SecureStore.open(at: home.store, vault: vault)
    try await SecureSessionStorage(store: later).wipe(reason: .userRequested)
    later.close()
    for (name, bytes) in copy { TemporaryHome.write(bytes, to: home.store + "/" + name) }
    await expect(.tampered) { try await SecureStore.open(at: home.store, vault: vault) }
    let elsewhere = TemporaryHome()
    mkdir(elsewhere.store, 0o700)
    for (name, bytes) in copy { TemporaryHome.write(bytes, to: elsewhere.store + "/" + name) }
    await expect(.keyLost) {
      try await SecureStore.open(at: elsewhere.store, vault: keyring.vault(elsewhere.store))
    }
  }

  @Test func `R14: a session in a locked keyring comes to life when it is unlocked`() async throws {
    let keyring = try PrivateKeyring()
    let home = TemporaryHome()
    let vault = keyring.vault(home.store)
    let store = try await SecureStore.open(at: home.store, vault: vault)
    try await SecureSessionStorage(store: store).setAuthInfo(SecureSessionStorageTests.info())
    store.close()
    try keyring.lock()
    let clock = StoppedClock()
    let storage = AwakeningSessionStorage(at: home.store, vault: vault, sleep: clock.sleep)
    var states = storage.observeAuthInfo().makeAsyncIterator()
    await expect(.vaultLocked) { try await storage.open() }
    #expect(await clock.waits() == .seconds(1))
    clock.pass()
    #expect(await clock.waits() == .seconds(2))
    try keyring.unlock()
    while case .failure(let error) = await states.next() {
      #expect([.vaultLocked, .vaultUnavailable].contains(error.code))
    }
    #expect(try storage.authInfo == SecureSessionStorageTests.info())
    #expect(try keyring.items().count == 2)
  }

  private func expectLocked(_ vault: SecretServiceVault) throws {
    for call in [
      { _ = try vault.rootKey() }, { try vault.setRootKey(.random()) },
      { try vault.setRootKey(nil) }, { _ = try vault.counter() }, { _ = try vault.count() },
    ] {
      let error = #expect(throws: StorageError.self) { try call() }
      #expect(error?.code == .vaultLocked)
    }
  }

  private func bytes(_ key: RootKey) -> [UInt8] { key.withBytes { Array($0) } }
}
#endif
