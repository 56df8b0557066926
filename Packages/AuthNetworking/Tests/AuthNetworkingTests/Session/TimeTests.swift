import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// R10 to R12: waiting, ahead of time, and no loops.
struct TimeTests {
  @Test func `R10: cancelling a waiter ends it at once, and the refresh is stored`()
    async throws
  {
    let harness = SessionHarness()
    harness.expireToken()
    let controller = try harness.controller()
    harness.afterRefresh.shut()
    let waiter = Task { await failure { () throws(AuthError) in _ = try await controller.token() } }
    await harness.afterRefresh.arrival()
    waiter.cancel()
    #expect(await waiter.value?.code == .cancelled)
    let other = Task { try await controller.token() }
    harness.afterRefresh.open()
    let token = try await other.value
    #expect(try harness.record.authInfo?.session.accessToken == token)
    #expect(harness.refreshRequests.count == 1)
  }

  @Test func `R10: a refresh that is never answered has a deadline of its own`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    let controller = try harness.controller()
    harness.afterRefresh.shut()
    let waiter = Task { await failure { () throws(AuthError) in _ = try await controller.token() } }
    await harness.afterRefresh.arrival()
    while harness.clock.sleepers == 0 { await Task.yield() }
    harness.clock.advance(by: .seconds(31))
    #expect(await waiter.value?.code == .timeout)
    #expect(try harness.record.attempt != nil)
  }

  @Test(arguments: [
    (900.0, 830.0, false), (900, 841, true), (100, 89, false), (100, 91, true), (2, 1, false),
  ])
  func `R11: with less than min(60 s, a tenth) left the token is refreshed first`(
    lifetime: Double,
    age: Double,
    refreshes: Bool
  ) async throws {
    let harness = SessionHarness(accessLifetime: lifetime)
    let controller = try harness.controller()
    harness.clock.advance(by: .seconds(age))
    #expect(try await controller.get().status == 200)
    #expect(harness.server.counts.rotations == (refreshes ? 1 : 0))
    #expect(harness.server.counts.resources == 1)
  }

  @Test(arguments: [3600.0, -3600.0, 34_560_000.0, -34_560_000.0])
  func `R11: a device whose clock is wrong refreshes once at most, then knows`(
    _ error: Double
  ) async throws {
    let harness = SessionHarness(wall: RotatingServer.epoch + error)
    let controller = try harness.controller()
    for _ in 0..<5 { #expect(try await controller.get().status == 200) }
    #expect(harness.server.counts.rotations <= 1)
    // Another process starts with what was learnt.
    let next = try harness.controller()
    #expect(try await next.get().status == 200)
    #expect(harness.server.counts.rotations <= 1)
  }

  @Test func `R11: setting the device's clock changes nothing`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    _ = try await controller.get()
    for wall in [0, 4e9, RotatingServer.epoch] {
      harness.clock.setWall(wall)
      #expect(try await controller.get().status == 200)
    }
    #expect(harness.refreshRequests.isEmpty)
    harness.clock.setWall(0)
    harness.clock.advance(by: .seconds(850))
    #expect(try await controller.get().status == 200)
    #expect(harness.server.counts.rotations == 1)
  }

  @Test func `R11: a failure ahead of time does not fail the request`() async throws {
    let harness = SessionHarness()
    harness.clock.advance(by: .seconds(850))
    harness.server.failRefreshes(.answer(status: 503))
    let controller = try harness.controller()
    #expect(try await controller.get().status == 200)
    #expect(controller.state == .signedIn(.fresh))
    harness.clock.advance(by: .seconds(5))
    #expect(try await controller.get().status == 200)
    #expect(harness.server.counts.rotations == 1)
  }

  @Test func `R11: a definitive refusal ahead of time ends the session`() async throws {
    let harness = SessionHarness()
    harness.clock.advance(by: .seconds(850))
    harness.server.revokeEverything()
    let controller = try harness.controller()
    let error = await failure { () throws(AuthError) in _ = try await controller.get() }
    #expect(error?.code == .sessionEnded)
  }

  @Test func `R11: a token without exp is used until a 401`() async throws {
    let harness = SessionHarness(accessLifetime: nil)
    let controller = try harness.controller()
    harness.clock.advance(by: .seconds(1_000_000))
    #expect(try await controller.get().status == 200)
    #expect(harness.refreshRequests.isEmpty)
  }

  @Test func `R12: a server that answers 401 to everything costs a bounded number of refreshes`()
    async throws
  {
    let harness = SessionHarness()
    harness.server.rejectEveryToken()
    let controller = try harness.controller()
    for _ in 0..<50 { #expect(try await controller.get().status == 401) }
    #expect(harness.server.counts.rotations <= 3)
    harness.clock.advance(by: .seconds(61))
    harness.server.rejectEveryToken(false)
    #expect(try await controller.get().status == 200)
  }

  @Test(arguments: [3600.0, -3600.0, 315_360_000.0])
  func `R12: a server whose Date and tokens disagree is not refreshed at every start`(
    _ error: Double
  ) async throws {
    let harness = SessionHarness(signedIn: false)
    let server = harness.server
    let lying = ScriptedTransport { request throws(TransportError) in
      var answer = try server.answer(request)
      answer.headers["Date"] = RotatingServer.dateHeader(server.now + error)
      return answer
    }
    try await (try harness.controller(transport: lying)).signIn()
    for _ in 0..<5 {
      let process = try harness.controller(transport: lying)
      #expect(try await process.get().status == 200)
    }
    #expect(harness.server.counts.rotations == 0)
    harness.expireToken()
    let late = try harness.controller(transport: lying)
    #expect(try await late.get().status == 200)
    #expect(harness.server.counts.rotations == 1)
  }

  @Test func `R12: a refresh that brings the same token again stops`() async throws {
    let harness = SessionHarness()
    harness.server.rejectEveryToken()
    harness.server.failRefreshes(.sameAccessToken)
    let controller = try harness.controller()
    #expect(try await controller.get().status == 401)
    #expect(harness.server.counts.resources == 1)
    #expect(harness.server.counts.rotations == 1)
  }

  @Test(arguments: [
    ["Retry-After": "7"],
    ["Retry-After": "Tue, 14 Nov 2023 22:13:27 GMT"],
    ["Retry-After": "Tue, 14 Nov 2023 22:13:27 GMT", "Date": "unknown"],
  ])
  func `R12: nothing is sent before the time that Retry-After gives`(
    _ headers: [String: String]
  ) async throws {
    let harness = SessionHarness(accessLifetime: nil)
    harness.server.revokeAccessTokens()
    harness.server.failRefreshes(.answer(status: 429, headers: headers))
    let controller = try harness.controller()
    for _ in 0..<20 {
      let error = await failure { () throws(AuthError) in try await controller.refresh() }
      #expect(error?.code == .rateLimited)
      #expect(error?.retryAfter != nil)
    }
    #expect(harness.refreshRequests.count == 1)
    #expect(controller.state.isSignedIn)
    harness.clock.advance(by: .seconds(8))
    try await controller.refresh()
    #expect(harness.refreshRequests.count == 2)
  }

  @Test(arguments: [0.0, 86_400, -86_400])
  func `R12: a Retry-After date without a Date is judged by what is known of the server's clock`(
    ahead: Double
  ) async throws {
    let harness = SessionHarness()
    let server = harness.server
    // The first answer shows the server's clock, the ones to "/busy" do not.
    let network = ScriptedTransport { request throws(TransportError) in
      guard request.url.path == "/busy" else {
        var answer = try server.answer(request)
        answer.headers["Date"] = RotatingServer.dateHeader(server.now + ahead)
        return answer
      }
      let date = RotatingServer.dateHeader(server.now + ahead + 30)
      return HTTPResponse(status: 429, headers: HTTPHeaders([("Retry-After", date)]))
    }
    let controller = try harness.controller(transport: network)
    #expect(try await controller.get().status == 200)
    let wait = try await controller.get("/busy").httpResponse.retryAfter()
    // A `Date` has whole seconds, so that the clock that is learnt from it is half a second off.
    #expect(try (.seconds(28)...(.seconds(32))).contains(#require(wait)))
  }

  @Test func `R12: a Retry-After date of a server that never shows its clock goes by the device's`()
    async throws
  {
    let harness = SessionHarness()
    let date = RotatingServer.dateHeader(harness.clock.wall() + 30)
    let network = ScriptedTransport { _ in
      HTTPResponse(status: 429, headers: HTTPHeaders([("Retry-After", date)]))
    }
    let controller = try harness.controller(transport: network)
    let wait = try await controller.get("/busy").httpResponse.retryAfter()
    #expect(try (.seconds(29)...(.seconds(30))).contains(#require(wait)))
    // What the session itself asks for tells it as well.
    let error = await failure { () throws(AuthError) in _ = try await controller.sessions() }
    #expect(try (.seconds(29)...(.seconds(30))).contains(#require(error?.retryAfter)))
  }

  @Test func `R12: after a failure requests do not hammer on`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.failRefreshes(.answer(status: 500))
    let controller = try harness.controller()
    for _ in 0..<20 {
      let error = await failure { () throws(AuthError) in _ = try await controller.get() }
      #expect(error?.code == .server)
    }
    #expect(harness.refreshRequests.count == 1)
    harness.clock.advance(by: .seconds(1))
    #expect(try await controller.get().status == 200)
  }
}
