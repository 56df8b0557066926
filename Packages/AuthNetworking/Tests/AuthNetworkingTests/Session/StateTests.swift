import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// R13 to R15: what observers see, and the three answers of a store.
struct StateTests {
  @Test func `R13: a late subscriber sees the present state first, then each change once`()
    async throws
  {
    let harness = SessionHarness()
    let controller = try harness.controller()
    var states = controller.states().makeAsyncIterator()
    #expect(await states.next() == controller.state)
    harness.server.revokeEverything()
    harness.expireToken()
    await withTaskGroup { group in
      for _ in 0..<10 {
        group.addTask {
          _ = await failure { () throws(AuthError) in _ = try await controller.get() }
        }
      }
    }
    #expect(await states.next() == .signedOut(.revoked))
    try await controller.signIn()
    #expect(await states.next() == .signedIn(.fresh))
    _ = await controller.logout()
    #expect(await states.next() == .signedOut(.userRequested))
    var late = controller.states().makeAsyncIterator()
    #expect(await late.next() == .signedOut(.userRequested))
  }

  @Test func `R13: a sign-out in one process is seen in another one`() async throws {
    let harness = SessionHarness()
    let watching = try harness.controller()
    var states = watching.states().makeAsyncIterator()
    #expect(await states.next() == .signedIn(.fresh))
    _ = await (try harness.controller()).logout()
    #expect(await states.next() == .signedOut(.userRequested))
    try await harness.controller().signIn()
    #expect(await states.next() == .signedIn(.fresh))
    #expect(try await watching.get().status == 200)
  }

  @Test func `R1: an observer may use the session`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    let controller = try harness.controller()
    let observer = Task {
      for await state in controller.states() where state == .signedIn(.fresh) {
        return try await controller.get().status
      }
      return 0
    }
    _ = try await controller.get()
    #expect(try await observer.value == 200)
  }

  @Test func `R14: a locked vault is unknown, keeps everything, and comes back by itself`()
    async throws
  {
    let harness = SessionHarness()
    harness.storage.failReads(with: SessionHarness.locked)
    let controller = try harness.controller()
    var states = controller.states().makeAsyncIterator()
    #expect(await states.next() == .unknown)
    for _ in 0..<2 {
      let error = await failure { () throws(AuthError) in _ = try await controller.restore() }
      #expect(error?.storageError == SessionHarness.locked)
    }
    let error = await failure { () throws(AuthError) in _ = try await controller.get() }
    #expect(error?.storageError == SessionHarness.locked)
    let login = await failure { () throws(AuthError) in try await controller.signIn() }
    #expect(login?.storageError == SessionHarness.locked)
    #expect(harness.network.requests.isEmpty)
    harness.storage.failReads(with: nil)
    #expect(await states.next() == .signedIn(.fresh))
    #expect(try await controller.get().status == 200)
  }

  @Test(arguments: [
    (StorageError.Code.keyLost, SessionState.signedOut(.keyLost)),
    (.tampered, .signedOut(.tampered)), (.vaultUnavailable, .unknown), (.wrongKey, .unknown),
    (.damaged, .unknown), (.newerFormat, .unknown), (.io, .unknown),
  ])
  func `R14: what is gone for good signs out with its reason, all else is unknown`(
    code: StorageError.Code,
    state: SessionState
  ) throws {
    let harness = SessionHarness()
    harness.storage.failReads(with: StorageError(code, "Unreadable", advice: "Look"))
    #expect(try harness.controller().state == state)
  }

  @Test func `R14: an empty store means that nobody has ever signed in`() async throws {
    let controller = try SessionHarness(signedIn: false).controller()
    #expect(controller.state == .signedOut(.never))
    #expect(try await controller.restore() == .signedOut(.never))
  }

  @Test func `R14: a vault that is locked later does not end what is in memory`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    harness.storage.failReads(with: SessionHarness.locked)
    #expect(try await controller.get().status == 200)
    #expect(controller.state == .signedIn(.fresh))
  }

  @Test func `R5: offline, the session is restored as stale`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    let controller = try harness.controller(transport: ScriptedTransport.offline)
    #expect(try await controller.restore() == .signedIn(.stale))
    #expect(controller.state == .signedIn(.stale))
    #expect(controller.authInfo?.session.userID == UserID("user-1"))
  }
}
