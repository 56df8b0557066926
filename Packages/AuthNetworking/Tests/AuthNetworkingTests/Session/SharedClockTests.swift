import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import SessionModelsTesting
import Testing

@testable import AuthNetworking

/// R11, R12 over processes: each starts with what the store says of the server's clock.
struct SharedClockTests {
  @Test(arguments: [3_000.0, 172_800, 34_560_000, -3_600, -172_800, -34_560_000])
  func `R11: a device's clock that is set between processes changes nothing`(
    _ change: Double
  ) async throws {
    let harness = SessionHarness(signedIn: false)
    try await (try harness.controller()).signIn()
    harness.clock.setWall(harness.clock.wall() + change)
    #expect(try await (try harness.controller()).get().status == 200)
    #expect(harness.refreshRequests.isEmpty)
    harness.clock.advance(by: .seconds(901))
    let late = try harness.controller()
    let before = harness.server.counts.resources
    #expect(try await late.get().status == 200)
    // Refreshed first: the token that is known to have expired is not sent.
    #expect(harness.server.counts.resources == before + 1)
    #expect(harness.server.counts.rotations == 1)
  }

  @Test(arguments: [34_560_000.0, -34_560_000])
  func `R11: set while the device was off, its clock costs one refresh`(
    _ change: Double
  ) async throws {
    let harness = SessionHarness(signedIn: false)
    try await (try harness.controller()).signIn()
    harness.clock.restartDevice()
    harness.clock.setWall(harness.clock.wall() + change)
    for _ in 0..<5 { #expect(try await (try harness.controller()).get().status == 200) }
    #expect(harness.server.counts.rotations <= 1)
  }

  @Test func `R11: a server without Date is judged by the device's clock as it was at sign-in`()
    async throws
  {
    let harness = SessionHarness(signedIn: false)
    let server = harness.server
    let silent = ScriptedTransport { request throws(TransportError) in
      var answer = try server.answer(request)
      answer.headers["Date"] = "unknown"
      return answer
    }
    try await (try harness.controller(transport: silent)).signIn()
    harness.clock.setWall(4e9)
    #expect(try await (try harness.controller(transport: silent)).get().status == 200)
    #expect(harness.refreshRequests.isEmpty)
  }

  @Test(arguments: [900.0, nil])
  func `R12: tokens whose exp is past by the server's own Date are not refreshed at every start`(
    _ expiresIn: Double?
  ) async throws {
    let harness = SessionHarness(signedIn: false)
    let behind = ScriptedTransport { request throws(TransportError) in
      let date = RotatingServer.dateHeader(harness.server.now)
      let token = TokenFixtures.jwt(payload: #"{"exp":\#(Int(harness.server.now) - 300)}"#)
      let lifetime = expiresIn.map { #","expires_in":\#($0)"# } ?? ""
      let body =
        #"{"access_token":"\#(token.reveal())","user_id":"1""#
        + #","refresh_token":"refresh-0123456789"\#(lifetime)}"#
      return HTTPResponse(
        status: 200,
        headers: HTTPHeaders([("Date", date)]),
        body: Array(body.utf8)
      )
    }
    try await (try harness.controller(transport: behind)).signIn()
    for _ in 0..<40 {
      let process = try harness.controller(transport: behind)
      #expect(try await process.get().status == 200)
    }
    // What a refresh brings is no better than what the sign-in did: one shows that.
    #expect(behind.requests.count { $0.url.path == "/auth/refresh" } == 1)
  }

  @Test(arguments: [850.0, 2_000])
  func `R11: the first answer again, to a resent attempt, is as old as it is`(
    _ age: Double
  ) async throws {
    let harness = SessionHarness()
    harness.server.failRefreshes(.lostAnswer)
    let first = try harness.controller()
    #expect(await failure { () throws(AuthError) in try await first.refresh() }?.code == .network)
    harness.clock.advance(by: .seconds(age))
    let next = try harness.controller()
    try await next.refresh()
    #expect(try await next.get().status == 200)
    #expect(try await (try harness.controller()).get().status == 200)
    // One for the attempt that was lost, one for its token; none was sent that had expired.
    #expect(harness.server.counts.rotations == 2)
    #expect(harness.server.counts.resources == 2)
    #expect(harness.server.counts.reuses == 0)
  }

  #if os(Linux) || os(Android)
  @Test func `the system's uptime names the start, and goes on`() throws {
    let first = try #require(SystemClock().uptime())
    let second = try #require(SystemClock().uptime())
    #expect(first.start == second.start)
    #expect(!first.start.isEmpty)
    #expect(first.seconds > 0)
    #expect(second.seconds >= first.seconds)
  }
  #endif
}
