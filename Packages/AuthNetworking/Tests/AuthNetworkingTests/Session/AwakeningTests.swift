import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// R14 with the real store on disk: a vault that is locked at the start.
struct AwakeningTests {
  @Test func `R14: locked at the start is unknown, and signed in by itself once it unlocks`()
    async throws
  {
    let locked = try await LockedSession()
    let controller = try locked.controller()
    var states = controller.states().makeAsyncIterator()
    #expect(await states.next() == .unknown)
    await #expect(throws: StorageError.self) { try await locked.storage.open() }
    let error = await failure { () throws(AuthError) in _ = try await controller.get() }
    #expect(error?.storageError == SessionHarness.locked)
    #expect(controller.state == .unknown)
    #expect(locked.harness.network.requests.isEmpty)
    locked.vault.fail(with: nil)
    locked.retry.open()
    #expect(await states.next() == .signedIn(.fresh))
    #expect(try await controller.get().status == 200)
    #expect(locked.harness.refreshRequests.isEmpty)
  }

  @Test func `R4: a sign-out while it is locked holds once it unlocks`() async throws {
    let locked = try await LockedSession()
    let controller = try locked.controller()
    await #expect(throws: StorageError.self) { try await locked.storage.open() }
    let outcome = await controller.logout()
    #expect(outcome.storageError == nil)
    #expect(!outcome.revoked)
    var states = controller.states().makeAsyncIterator()
    locked.vault.fail(with: nil)
    locked.retry.open()
    while let state = await states.next(), state == .unknown {}
    #expect(controller.state == .signedOut(.userRequested))
    #expect(try locked.storage.authInfo == nil)
  }

  @Test func `R14: a key that is lost when it unlocks signs out with that reason`() async throws {
    let locked = try await LockedSession()
    let controller = try locked.controller()
    var states = controller.states().makeAsyncIterator()
    #expect(await states.next() == .unknown)
    locked.vault.fail(with: StorageError(.keyLost, "The key is lost", advice: "Reset"))
    locked.retry.open()
    #expect(await states.next() == .signedOut(.keyLost))
  }
}

/// A signed-in session in a store on disk, whose vault has been locked since.
private final class LockedSession: Sendable {
  let harness = SessionHarness()
  let vault = InMemoryVault()
  /// What every wait of the storage waits for.
  let retry = Gate()
  let storage: AwakeningSessionStorage
  private let directory: String

  init() async throws {
    var template = Array("/tmp/auth-networking-test-XXXXXX".utf8CString)
    let path = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    directory = try #require(path)
    let store = try await SecureStore.open(at: directory, vault: vault)
    let record = try harness.record
    try await SecureSessionStorage(store: store).update { _ in record }
    store.close()
    vault.fail(with: SessionHarness.locked)
    storage = AwakeningSessionStorage(at: directory, vault: vault) { [retry] _ in
      await retry.pass()
      try Task.checkCancellation()
    }
  }

  deinit {
    for name in ["db", "db-wal", "db-shm", "lock", "generation"] {
      unlink(directory + "/store." + name)
    }
    rmdir(directory)
  }

  func controller() throws -> SessionController { try harness.controller(storage: storage) }
}
