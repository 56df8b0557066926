@testable import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Synchronization
import Testing

/// R4 and R5: what ends a session, and what does not.
struct SignOutTests {
  @Test func `R4: a logout clears the store and revokes`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    #expect(await controller.logout() == LogoutOutcome(revoked: true))
    #expect(try harness.record.authInfo == nil)
    #expect(controller.state == .signedOut(.userRequested))
    #expect(controller.authInfo == nil)
    #expect(harness.server.counts.logouts == 1)
  }

  @Test func `R4: after a logout no secret is left in memory`() async throws {
    let harness = SessionHarness(signedIn: false)
    let controller = try harness.controller()
    try await controller.signIn()
    _ = try await controller.get()
    try await controller.refresh()
    let refresh = try #require(controller.authInfo?.session.refreshToken)
    let secrets = [refresh, try await controller.token().secret]
    func held() -> String { controller.core.withLock { revealed(in: $0.machine) } }
    #expect(secrets.allSatisfy { held().contains($0.reveal()) })
    _ = await controller.logout()
    #expect(!secrets.contains { held().contains($0.reveal()) })
    let error = await failure { () throws(AuthError) in _ = try await controller.token() }
    #expect(error?.code == .notSignedIn)
  }

  @Test func `R4: a logout without network happens locally all the same`() async throws {
    let harness = SessionHarness()
    do {
      let controller = try harness.controller(transport: ScriptedTransport.offline)
      #expect(await controller.logout() == LogoutOutcome(revoked: false))
    }
    #expect(try harness.record.authInfo == nil)
    #expect(try harness.record.signOutReason == .userRequested)
    // Whoever waits to try again finds the controller gone, and leaves.
    while harness.clock.sleepers == 0 { await Task.yield() }
    harness.clock.advance(by: .seconds(10))
  }

  @Test func `R4: a logout that could not reach the server is tried again while the process lives`()
    async throws
  {
    let harness = SessionHarness()
    let answers = Gate(isOpen: true)
    let network = ScriptedTransport { _ in
      (answers, nil)
    } server: {
      [server = harness.server] request throws(TransportError) in
      if answers.arrivals == 1 { throw TransportError(.network, "The network is unreachable") }
      return try server.answer(request)
    }
    let controller = try harness.controller(transport: network)
    #expect(await controller.logout().revoked == false)
    while harness.clock.sleepers == 0 { await Task.yield() }
    harness.clock.advance(by: .seconds(10))
    await answers.arrival(2)
    while harness.server.counts.logouts == 0 { await Task.yield() }
    withExtendedLifetime(controller) {}
  }

  @Test func `R4: a logout needs no key`() async throws {
    let harness = SessionHarness()
    harness.storage.failReads(with: SessionHarness.locked)
    let controller = try harness.controller()
    #expect(controller.state == .unknown)
    #expect(await controller.logout() == LogoutOutcome(revoked: false))
    harness.storage.failReads(with: nil)
    #expect(try harness.record.authInfo == nil)
  }

  @Test func `R4: a logout wins over a refresh in flight, whose token is not stored`()
    async throws
  {
    let harness = SessionHarness()
    harness.expireToken()
    let controller = try harness.controller()
    harness.afterRefresh.shut()
    let waiter = Task { await failure { () throws(AuthError) in _ = try await controller.token() } }
    await harness.afterRefresh.arrival()
    _ = await controller.logout()
    #expect(await waiter.value?.code == .notSignedIn)
    harness.afterRefresh.open()
    #expect(try harness.record.authInfo == nil)
    #expect(controller.state == .signedOut(.userRequested))
  }

  @Test func `R4: a logout in one process stops the refresh of another from storing`()
    async throws
  {
    let harness = SessionHarness()
    harness.expireToken()
    let refreshing = try harness.controller()
    let leaving = try harness.controller()
    harness.afterRefresh.shut()
    let waiter = Task { await failure { () throws(AuthError) in _ = try await refreshing.token() } }
    await harness.afterRefresh.arrival()
    _ = await leaving.logout()
    harness.afterRefresh.open()
    #expect(await waiter.value?.code == .notSignedIn)
    #expect(try harness.record.authInfo == nil)
  }

  @Test func `R4: a logout during a login leaves nobody signed in`() async throws {
    let harness = SessionHarness(signedIn: false)
    let controller = try harness.controller()
    harness.afterRequest.shut()
    let login = Task { await failure { () throws(AuthError) in try await controller.signIn() } }
    await harness.afterRequest.arrival()
    _ = await controller.logout()
    harness.afterRequest.open()
    #expect(await login.value?.code == .notSignedIn)
    #expect(try harness.record.authInfo == nil)
  }

  @Test func `R4: a refresh that ends after an account switch does not touch the next user`()
    async throws
  {
    let harness = SessionHarness()
    harness.expireToken()
    let controller = try harness.controller()
    harness.afterRefresh.shut()
    let waiter = Task { await failure { () throws(AuthError) in _ = try await controller.token() } }
    await harness.afterRefresh.arrival()
    try await controller.signIn()
    let next = try harness.record
    harness.afterRefresh.open()
    #expect(await waiter.value?.code == .notSignedIn)
    #expect(try harness.record == next)
  }

  @Test(arguments: [
    RotatingServer.Fault.answer(status: 500), .answer(status: 503), .answer(status: 404),
    .answer(status: 403), .answer(status: 400), .answer(status: 429), .lostRequest, .lostAnswer,
    .answer(status: 200, body: "<html>captive portal</html>"), .answer(status: 204),
    .answer(status: 307, headers: ["Location": "https://evil.example/auth/refresh"]),
  ])
  func `R5: what is no definitive answer keeps the session`(
    _ fault: RotatingServer.Fault
  ) async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.failRefreshes(fault)
    let controller = try harness.controller()
    #expect(try await controller.restore() == .signedIn(.stale))
    #expect(try harness.record.authInfo != nil)
  }

  @Test(arguments: [
    (401, "{}", SignOutReason.revoked),
    (400, #"{"error":"invalid_grant"}"#, .revoked),
    (401, #"{"error":"invalid_grant","code":"REFRESH_TOKEN_REUSED"}"#, .reuseDetected),
    (401, #"{"error":"Refresh token expired"}"#, .refreshExpired),
    (401, #"{"error":"x","code":"DEVICE_MISMATCH"}"#, .deviceMismatch),
  ])
  func `R5: a definitive answer ends the session and says why`(
    status: Int,
    body: String,
    reason: SignOutReason
  ) async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.failRefreshes(.answer(status: status, body: body))
    let controller = try harness.controller()
    let error = await failure { () throws(AuthError) in _ = try await controller.get() }
    #expect(error?.code == .sessionEnded)
    #expect(error?.signOutReason == reason)
    #expect(controller.state == .signedOut(reason))
    #expect(try harness.record.authInfo == nil)
    #expect(try harness.record.signOutReason == reason)
  }

  @Test func `R5: a resent token that is refused is an interrupted refresh`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.failRefreshes(.lostAnswer, .answer(status: 401))
    let killed = try harness.controller()
    _ = await failure { () throws(AuthError) in _ = try await killed.token() }
    let next = try harness.controller()
    #expect(try await next.restore() == .signedOut(.interruptedRefresh))
  }

  @Test func `R5: a refusal ends nothing where the store holds a newer token by then`()
    async throws
  {
    let harness = SessionHarness()
    harness.expireToken()
    let frozen = try harness.controller()
    harness.server.failRefreshes(.answer(status: 401))
    harness.afterRefresh.shut()
    let waiter = Task { try await frozen.token() }
    await harness.afterRefresh.arrival()
    // While this process was frozen another one rotated, and the lock did not stop it.
    let newer = harness.server.signIn(
      baseURL: SessionHarness.baseURL,
      deviceID: SessionHarness.deviceID
    )
    try await harness.storage.update { record in
      var record = record
      record.authInfo = newer
      return record
    }
    harness.afterRefresh.open()
    #expect(try await waiter.value == newer.session.accessToken)
    #expect(try harness.record.authInfo == newer)
  }

  @Test func `a 401 ends an opaque session, without a refresh`() async throws {
    let harness = SessionHarness(tokenModel: .opaque)
    let controller = try harness.controller()
    #expect(try await controller.get().status == 200)
    harness.server.revokeEverything()
    let error = await failure { () throws(AuthError) in _ = try await controller.get() }
    #expect(error?.signOutReason == .revoked)
    #expect(controller.state == .signedOut(.revoked))
    #expect(try harness.record.authInfo == nil)
    #expect(harness.refreshRequests.isEmpty)
  }
}

/// Every secret that a value holds, however deep.
private func revealed(in value: Any) -> String {
  if let secret = value as? Secret { return secret.reveal() + "\n" }
  return Mirror(reflecting: value).children.map { revealed(in: $0.value) }.joined()
}
