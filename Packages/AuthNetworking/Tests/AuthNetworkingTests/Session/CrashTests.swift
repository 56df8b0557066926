import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// R3: a process that dies in any write of a refresh or of a sign-out.
struct CrashTests {
  /// A refresh writes twice: its attempt, and what came of it.
  private static let deaths = [1, 2].flatMap { write in
    CrashingStorage.Moment.allCases.map { (write, $0) }
  }

  @Test(arguments: deaths)
  func `R3: after a death in a refresh the next process goes on with the same attempt`(
    write: Int,
    moment: CrashingStorage.Moment
  ) async throws {
    let harness = SessionHarness()
    harness.expireToken()
    let storage = CrashingStorage(harness.storage.sibling())
    storage.crash(moment, ofWrite: write)
    let dying = try harness.controller(storage: storage)
    _ = await failure { () throws(AuthError) in _ = try await dying.get() }
    await storage.crashed()
    #expect(storage.hasCrashed)

    let next = try harness.controller(storage: storage.restarted())

    #expect(try await next.get().status == 200)
    #expect(next.state == .signedIn(.fresh))
    #expect(harness.server.counts.rotations == 1)
    #expect(harness.server.counts.reuses == 0)
    #expect(Set(harness.server.counts.refreshIDs).count == 1)
  }

  @Test(arguments: CrashingStorage.Moment.allCases)
  func `R5: a death in the write that ends a session ends it once`(
    moment: CrashingStorage.Moment
  ) async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.revokeEverything()
    let storage = CrashingStorage(harness.storage.sibling())
    storage.crash(moment, ofWrite: 2)
    let dying = try harness.controller(storage: storage)
    _ = await failure { () throws(AuthError) in _ = try await dying.get() }
    await storage.crashed()

    let next = try harness.controller(storage: storage.restarted())
    let error = await failure { () throws(AuthError) in _ = try await next.get() }

    #expect(error?.code == (moment == .afterCommit ? .notSignedIn : .sessionEnded))
    #expect(!next.state.isSignedIn)
    #expect(try harness.record.authInfo == nil)
  }

  @Test func `a death before the wipe leaves the session to sign out again`() async throws {
    let harness = SessionHarness()
    let storage = CrashingStorage(harness.storage.sibling())
    storage.crash(.beforeCommit)
    let outcome = await (try harness.controller(storage: storage)).logout()
    #expect(outcome.storageError != nil)

    let next = try harness.controller(storage: storage.restarted())

    #expect(next.state.isSignedIn)
    #expect(await next.logout().storageError == nil)
    #expect(try harness.record.authInfo == nil)
  }

  @Test func `an update that finds nothing to change is no write`() async throws {
    let harness = SessionHarness()
    let storage = CrashingStorage(harness.storage.sibling())
    storage.crash(.beforeCommit)
    _ = try await storage.update { _ in nil }
    #expect(!storage.hasCrashed)
  }
}
