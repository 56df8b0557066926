import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// R3, R4: a commit that fails may be stored all the same, and ends no session.
struct DoubtfulCommitTests {
  enum Action: Sendable, CaseIterable {
    case login, otherLogin, reauthenticate, refresh

    func run(_ controller: SessionController) async throws(AuthError) {
      switch self {
      case .login: _ = try await controller.signIn()
      case .otherLogin: _ = try await controller.signIn(as: RotatingServer.otherEmail)
      case .reauthenticate:
        _ = try await controller.reauthenticate(
          password: RotatingServer.password,
          identifier: RotatingServer.email
        )
      case .refresh: try await controller.refresh()
      }
    }
  }

  @Test(arguments: Action.allCases, DoubtfulStorage.Fate.allCases)
  func `whatever becomes of failed commits, the session that is found after a restart lives`(
    action: Action,
    fate: DoubtfulStorage.Fate
  ) async throws {
    for failures in [1, 2, 1_000] {
      let harness = SessionHarness()
      let storage = DoubtfulStorage(harness.storage)
      let controller = try harness.controller(storage: storage)
      storage.fail(failures, fate)
      let error = await failure { () throws(AuthError) in try await action.run(controller) }
      // A refresh writes its attempt down first, and is not sent where that fails.
      if failures == 1, action != .refresh { #expect(error == nil) }
      if failures > 1, fate != .stored { #expect(error?.code == .storage) }
      await controller.finishRevocations()
      let next = try harness.controller(storage: try await storage.restarted())
      #expect(next.state.isSignedIn)
      try await next.refresh()
      #expect(try await next.get().status == 200)
      #expect(harness.server.counts.reuses == 0)
    }
  }

  /// Of the disk's own advice, that nothing was changed is not said: it may have been.
  private static let doubt =
    "Whether the new session was stored shows when the store can be written again; until then "
    + "neither it nor the one before is revoked. Replace it."

  @Test(
    arguments: [Action.login, .otherLogin, .reauthenticate],
    DoubtfulStorage.Fate.allCases
  )
  func `R4: once the store can be written, the session that it does not hold is revoked`(
    action: Action,
    fate: DoubtfulStorage.Fate
  ) async throws {
    let harness = SessionHarness()
    let storage = DoubtfulStorage(harness.storage)
    let controller = try harness.controller(storage: storage)
    storage.fail(2, fate)
    let error = await failure { () throws(AuthError) in try await action.run(controller) }
    await controller.finishRevocations()
    #expect(harness.server.livingSessions == 2)
    if let error {
      #expect(error.storageError?.advice == DoubtfulCommitTests.doubt)
      #expect(error.message.contains(DoubtfulCommitTests.doubt))
    }
    while harness.server.livingSessions != 1 {
      harness.clock.advance(by: .seconds(1))
      await Task.yield()
    }
    #expect(controller.authInfo == (try harness.record.authInfo))
    try await controller.refresh()
    #expect(try await controller.get().status == 200)
  }

  @Test func `R4: where the store was not even read, the new session is revoked at once`()
    async throws
  {
    let harness = SessionHarness()
    let network = harness.network
    let controller = try harness.controller(
      transport: ScriptedTransport { request throws(TransportError) in
        let answer = try await network.send(request)
        if request.url.path == "/auth/login" {
          harness.storage.failReads(with: SessionHarness.locked)
        }
        return answer
      }
    )
    let error = await failure { () throws(AuthError) in try await controller.signIn() }
    #expect(error?.storageError == SessionHarness.locked)
    await controller.finishRevocations()
    #expect(harness.server.livingSessions == 1)
    harness.storage.failReads(with: nil)
    #expect(try await (try harness.controller()).get().status == 200)
  }
}
