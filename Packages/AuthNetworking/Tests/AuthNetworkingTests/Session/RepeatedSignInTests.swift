import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// Signing in over a session, and several sign-ins at once.
struct RepeatedSignInTests {
  @Test(arguments: [RotatingServer.email, RotatingServer.otherEmail])
  func `R4: the session that a sign-in replaces is revoked on the server`(
    email: String
  ) async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    let info = try await controller.signIn(as: email)
    await controller.finishRevocations()
    #expect(try harness.record.authInfo == info)
    #expect(harness.server.livingSessions == 1)
    #expect(try await controller.get().status == 200)
    // Replaced in one step: at no moment was nobody signed in.
    #expect(harness.storage.history.allSatisfy { $0.authInfo != nil })
  }

  @Test func `R4: what was replaced is revoked with the newest tokens that are known`()
    async throws
  {
    let harness = SessionHarness()
    let controller = try harness.controller()
    let other = try harness.controller()
    try await other.refresh()
    try await controller.signIn(as: RotatingServer.otherEmail)
    await controller.finishRevocations()
    #expect(harness.server.livingSessions == 1)
    #expect(harness.server.counts.reuses == 0)
  }

  @Test func `R4: a replaced session is revoked later, where the server cannot be reached now`()
    async throws
  {
    let harness = SessionHarness()
    let server = harness.server
    let isReachable = Gate()
    let network = ScriptedTransport { request throws(TransportError) in
      if request.url.path == "/auth/logout", isReachable.arrivals == 0 {
        throw TransportError(.network, "The network is unreachable")
      }
      return try server.answer(request)
    }
    let controller = try harness.controller(transport: network)
    try await controller.signIn()
    await controller.finishRevocations()
    #expect(server.livingSessions == 2)
    isReachable.open()
    await isReachable.pass()
    while server.livingSessions == 2 {
      harness.clock.advance(by: .seconds(400))
      await Task.yield()
    }
  }

  @Test func `a session of a dialect that this controller does not speak is left alone`()
    async throws
  {
    let harness = SessionHarness()
    _ = try await harness.storage.update { record in
      var record = record
      record.authInfo?.dialect = .ksn
      return record
    }
    let controller = try harness.controller()
    try await controller.signIn()
    await controller.finishRevocations()
    #expect(harness.server.counts.logouts == 0)
    #expect(harness.log.text.contains("cannot be revoked from here"))
  }

  @Test func `of several first sign-ins of one user one wins, and all succeed`() async throws {
    let harness = SessionHarness(signedIn: false)
    let controllers = try (0..<4).map { _ in try harness.controller() }
    harness.afterRequest.shut()
    let signIns = controllers.map { controller in Task { try await controller.signIn() } }
    await harness.afterRequest.arrival(4)
    harness.afterRequest.open()
    var infos: [AuthInfo] = []
    for signIn in signIns { infos.append(try await signIn.value) }
    for controller in controllers { await controller.finishRevocations() }
    let stored = try #require(try harness.record.authInfo)
    #expect(infos.allSatisfy { $0 == stored })
    #expect(harness.server.livingSessions == 1)
    #expect(harness.storage.commits == 1)
    for controller in controllers { #expect(try await controller.get().status == 200) }
  }

  @Test func `of two users who sign in at once one wins, and the other is told`() async throws {
    let harness = SessionHarness(signedIn: false)
    let (first, second) = (try harness.controller(), try harness.controller())
    harness.afterRequest.shut()
    let one = Task { try await first.signIn() }
    let other = Task { try await second.signIn(as: RotatingServer.otherEmail) }
    await harness.afterRequest.arrival(2)
    harness.afterRequest.open()
    let results = [await one.result, await other.result]
    for controller in [first, second] { await controller.finishRevocations() }
    let winners = results.compactMap { try? $0.get() }
    #expect(winners.count == 1)
    #expect(try harness.record.authInfo == winners.first)
    let errors = results.compactMap { result in
      if case .failure(let error) = result { (error as? AuthError)?.code } else { nil }
    }
    #expect(errors == [.notSignedIn])
    #expect(harness.server.livingSessions == 1)
  }
}
