import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// R8 in the shell: tokens along redirects.
struct RedirectedRequestTests {
  /// A backend whose `/moved` leads to a location, in front of a server that rotates.
  private static func network(
    _ harness: SessionHarness,
    to location: String,
    status: Int = 307
  ) -> ScriptedTransport {
    ScriptedTransport { [server = harness.server] request throws(TransportError) in
      guard request.url.path == "/moved" || request.url.path == "/auth/refresh" else {
        return try server.answer(request)
      }
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
    let network = RedirectedRequestTests.network(harness, to: "https://api.example.org/elsewhere")
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
    #expect(error != nil)
    #expect(network.requests.count == 11)
  }
}
