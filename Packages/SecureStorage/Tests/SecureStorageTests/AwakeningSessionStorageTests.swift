import SecureStorage
import SecureStorageTesting
import SessionModels
import Synchronization
import Testing

/// A session store that comes to life when its vault unlocks.
@Suite struct AwakeningSessionStorageTests {
  private static let locked = StorageError(.vaultLocked, "Locked", advice: "Unlock")

  private let home = TemporaryHome()
  private let clock = StoppedClock()

  /// A store with a session, whose vault is locked now.
  private func lockedVault() async throws -> InMemoryVault {
    let vault = InMemoryVault()
    let store = try await SecureStore.open(at: home.store, vault: vault)
    try await SecureSessionStorage(store: store).setAuthInfo(SecureSessionStorageTests.info())
    store.close()
    vault.fail(with: Self.locked)
    return vault
  }

  private func storage(_ vault: any KeyVault) -> AwakeningSessionStorage {
    AwakeningSessionStorage(at: home.store, vault: vault, sleep: clock.sleep)
  }

  @Test func `an open vault is asked once, and the store is there`() async throws {
    let vault = try await lockedVault()
    vault.fail(with: nil)
    let calls = vault.calls
    let storage = storage(vault)
    let store = try await storage.open()
    #expect(storage.store === store)
    #expect(try storage.authInfo == SecureSessionStorageTests.info())
    #expect(vault.calls == calls + 1)
    #expect(try await storage.open() === store)
    var records = storage.records().makeAsyncIterator()
    #expect(try await records.next()?.get().authInfo == SecureSessionStorageTests.info())
  }

  @Test func `R13, R14: locked, then by itself the present state and each change`() async throws {
    let vault = try await lockedVault()
    let storage = storage(vault)
    await expect(.vaultLocked) { try await storage.open() }
    await expect(.vaultLocked) { try storage.record() }
    await expect(.vaultLocked) { try await storage.update { _ in nil } }
    #expect(storage.store == nil)
    var states = storage.observeAuthInfo().makeAsyncIterator()
    #expect(await states.next() == .failure(Self.locked))
    #expect(await clock.waits() == .seconds(1))
    clock.pass()
    #expect(await clock.waits() == .seconds(2))
    vault.fail(with: nil)
    clock.pass()
    #expect(await states.next() == .success(SecureSessionStorageTests.info()))
    try await storage.setAuthInfo(SecureSessionStorageTests.info("u2"))
    try await storage.wipe(reason: .revoked)
    #expect(await states.next() == .success(SecureSessionStorageTests.info("u2")))
    #expect(await states.next() == .success(nil))
    #expect(try storage.record().signOutReason == .revoked)
  }

  @Test func `the app's word is enough`() async throws {
    let vault = try await lockedVault()
    let storage = storage(vault)
    var states = storage.observeAuthInfo().makeAsyncIterator()
    while await states.next() != .failure(Self.locked) {}
    vault.fail(with: nil)
    storage.vaultMayHaveUnlocked()
    #expect(await states.next() == .success(SecureSessionStorageTests.info()))
  }

  @Test func `a vault that tells is listened to, from before the second try on`() async throws {
    let vault = TellingVault(try await lockedVault())
    let storage = storage(vault)
    var states = storage.observeAuthInfo().makeAsyncIterator()
    while await states.next() != .failure(Self.locked) {}
    #expect(await clock.waits() == .seconds(1))
    #expect(vault.listeners == 0)
    clock.pass()
    #expect(await clock.waits() == .seconds(2))
    #expect(vault.listeners == 1)
    vault.inner.fail(with: nil)
    vault.tell()
    #expect(await states.next() == .success(SecureSessionStorageTests.info()))
    await vault.lastListenerWent()
  }

  @Test func `a reason that changes is told, and what does not pass is not waited for`()
    async throws
  {
    let vault = try await lockedVault()
    let storage = storage(vault)
    var records = storage.records().makeAsyncIterator()
    while await records.next() != .failure(Self.locked) {}
    _ = await clock.waits()
    let lost = StorageError(.keyLost, "Lost", advice: "Reset")
    vault.fail(with: lost)
    clock.pass()
    #expect(await records.next() == .failure(lost))
    // Somebody may have mended it.
    vault.fail(with: nil)
    try await storage.open()
    #expect(try await records.next()?.get().authInfo != nil)
  }

  @Test func `R4: a locked session is wiped without its key, and stays wiped`() async throws {
    let vault = try await lockedVault()
    let storage = storage(vault)
    await expect(.vaultLocked) { try await storage.open() }
    try await storage.wipe(reason: .userRequested)
    await expect(.vaultLocked) { try storage.record() }
    vault.fail(with: nil)
    try await storage.open()
    #expect(try storage.record().signOutReason == .userRequested)
    #expect(try storage.authInfo == nil)
  }

  @Test func `a store may be opened by the caller, or with a vault that is chosen`() async throws {
    let vault = try await lockedVault()
    vault.fail(with: nil)
    let chosen = AwakeningSessionStorage(
      at: home.store,
      choosingVaults: { _ in [vault] },
      sleep: clock.sleep
    )
    let store = try await chosen.open()
    let opened = AwakeningSessionStorage(at: home.store, sleep: clock.sleep) { store }
    #expect(try await opened.open() === store)
  }

  @Test func `dropped, it ends its streams and tries no more`() async throws {
    let vault = try await lockedVault()
    var storage: AwakeningSessionStorage? = storage(vault)
    let records = try #require(storage?.records())
    _ = await clock.waits()
    storage = nil
    for await _ in records {}
    #expect(await clock.wasCancelled())
  }
}

/// A vault that tells of its unlocking when a test wants it to.
private final class TellingVault: UnlockTellingVault {
  let inner: InMemoryVault
  private let handlers = Mutex<[Int: @Sendable () -> Void]>([:])
  private let (went, goes) = AsyncStream<Void>.makeStream()

  init(_ inner: InMemoryVault) { self.inner = inner }

  var name: VaultName { inner.name }
  var listeners: Int { handlers.withLock { $0.count } }

  func rootKey() throws(StorageError) -> RootKey? { try inner.rootKey() }
  func setRootKey(_ key: RootKey?) throws(StorageError) { try inner.setRootKey(key) }

  func lastListenerWent() async { _ = await went.first { _ in true } }

  func tell() { for handler in handlers.withLock({ Array($0.values) }) { handler() } }

  func observeUnlocking(_ changed: @escaping @Sendable () -> Void) -> VaultObservation? {
    let id = handlers.withLock { handlers in
      let id = (handlers.keys.max() ?? 0) + 1
      handlers[id] = changed
      return id
    }
    return VaultObservation { [weak self] in
      self?.handlers.withLock { handlers in _ = handlers.removeValue(forKey: id) }
      if self?.listeners == 0 { self?.goes.yield() }
    }
  }
}
