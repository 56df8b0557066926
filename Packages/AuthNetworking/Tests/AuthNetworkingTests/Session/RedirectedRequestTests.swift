import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// R8 in the shell: tokens along redirects.
struct RedirectedRequestTests {
  /// A backend some of whose paths lead to a location, in front of a server that rotates.
  private static func network(
    _ harness: SessionHarness,
    to location: String,
    status: Int = 307,
    from moved: [String] = ["/moved"]
  ) -> ScriptedTransport {
    ScriptedTransport { [server = harness.server] request throws(TransportError) in
      guard moved.contains(String(request.url.path)) else { return try server.answer(request) }
      return HTTPResponse(status: status, headers: HTTPHeaders([("Location", location)]))
    }
  }

  @Test func `a redirect within the origin is followed with the token`() async throws {
    let harness = SessionHarness()
    let network = RedirectedRequestTests.network(harness, to: "/things")
    let controller = try harness.controller(transport: network)
    #expect(try await controller.get("/moved").status == 200)
    #expect(network.requests.map(\.url.path) == ["/moved", "/things"])
    #expect(Set(network.requests.map { $0.headers["X-Request-Id"] }).count == 1)
  }

  @Test func `R8: another origin gets no token, and its 401 refreshes nothing`() async throws {
    let harness = SessionHarness()
    let network = RedirectedRequestTests.network(harness, to: "https://other.example/things")
    let controller = try harness.controller(transport: network)
    #expect(try await controller.get("/moved").status == 401)
    #expect(network.requests.map { $0.bearer == nil } == [false, true])
    #expect(controller.state == .signedIn(.fresh))
  }

  @Test func `R8: a refresh is not sent along a redirect`() async throws {
    let harness = SessionHarness()
    let network = RedirectedRequestTests.network(
      harness,
      to: "https://api.example.org/elsewhere",
      from: ["/auth/refresh"]
    )
    let controller = try harness.controller(transport: network)
    let error = await failure { () throws(AuthError) in try await controller.refresh() }
    #expect(error?.code == .server)
    #expect(network.requests.map(\.url.path) == ["/auth/refresh"])
    #expect(controller.state.isSignedIn)
  }

  @Test func `a circle of redirects ends`() async throws {
    let harness = SessionHarness()
    let network = RedirectedRequestTests.network(harness, to: "/moved")
    let controller = try harness.controller(transport: network)
    let error = await failure { () throws(AuthError) in _ = try await controller.get("/moved") }
    #expect(error?.code == .rejected)
    #expect(error?.requestID == network.requests.last?.headers["X-Request-Id"])
    #expect(network.requests.count == 11)
    #expect(controller.state == .signedIn(.fresh))
  }

  @Test func `R6: a 401 at the end of a redirect is replayed from the start, once`() async throws {
    let harness = SessionHarness()
    harness.server.revokeAccessTokens()
    let network = RedirectedRequestTests.network(harness, to: "/things")
    let controller = try harness.controller(transport: network)
    let response = try await controller.send(APIRequest(.post, "/moved", body: [1, 2]))
    #expect(response.status == 200)
    #expect(
      network.requests.map(\.url.path)
        == ["/moved", "/things", "/auth/refresh", "/moved", "/things"]
    )
    let sent = network.requests.filter { $0.url.path != "/auth/refresh" }
    #expect(sent.allSatisfy { $0.method == .post && $0.body == [1, 2] && $0.bearer != nil })
    #expect(sent[1].bearer != sent[3].bearer)
    #expect(sent[1].headers["X-Request-Id"] != sent[3].headers["X-Request-Id"])
    #expect(response.requestID == sent[3].headers["X-Request-Id"])
  }

  @Test func `R6: a second 401 at the end of a redirect is the answer`() async throws {
    let harness = SessionHarness()
    harness.server.rejectEveryToken()
    let network = RedirectedRequestTests.network(harness, to: "/things")
    let controller = try harness.controller(transport: network)
    #expect(try await controller.get("/moved").status == 401)
    #expect(network.requests.count == 5)
    #expect(controller.state == .signedIn(.fresh))
  }

  @Test func `R8: a POST that is sent to another origin ends with the redirect`() async throws {
    let harness = SessionHarness()
    let network = RedirectedRequestTests.network(
      harness,
      to: "https://other.example/things",
      status: 308
    )
    let controller = try harness.controller(transport: network)
    let response = try await controller.send(APIRequest(.post, "/moved", body: [1]))
    #expect(response.status == 308)
    #expect(response.headers["Location"] == "https://other.example/things")
    #expect(network.requests.count == 1)
  }

  @Test func `R12: a redirect to the login carries no token there, and refreshes nothing`()
    async throws
  {
    let harness = SessionHarness()
    let network = RedirectedRequestTests.network(harness, to: "/x/../auth/login")
    let controller = try harness.controller(transport: network)
    #expect(try await controller.send(APIRequest(.post, "/moved", body: [1])).status == 401)
    #expect(network.requests.map(\.url.path) == ["/moved", "/auth/login"])
    #expect(network.requests.map { $0.bearer == nil } == [false, true])
  }

  @Test func `all hops together have the time of one attempt`() async throws {
    let harness = SessionHarness()
    let network = ScriptedTransport { [clock = harness.clock] _ throws(TransportError) in
      clock.advance(by: .seconds(2))
      return HTTPResponse(status: 302, headers: HTTPHeaders([("Location", "/moved")]))
    }
    let controller = try harness.controller(transport: network)
    let request = APIRequest(.get, "/moved", timeout: .seconds(3))
    let error = await failure { () throws(AuthError) in _ = try await controller.send(request) }
    #expect(error?.code == .timeout)
    #expect(network.requests.map(\.timeout) == [.seconds(3), .seconds(1)])
  }
}
