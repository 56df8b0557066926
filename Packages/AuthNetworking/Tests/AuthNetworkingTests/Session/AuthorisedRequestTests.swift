import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// R6 to R8: replays, and where a token goes.
struct AuthorisedRequestTests {
  @Test func `every request has the headers of the contract`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    let request = APIRequest(.post, "/things", body: Array(#"{"a":1}"#.utf8))
    let answer = try await controller.send(request)
    let sent = try #require(harness.network.requests.first)
    #expect(sent.headers["Accept"] == "application/json")
    #expect(sent.headers["Content-Type"] == "application/json")
    #expect(sent.headers["X-Client-Type"] == "mobile")
    #expect(sent.headers["X-Client-Version"] == "test-1.0(1)")
    #expect(sent.headers["User-Agent"] == "test/1.0 (Linux 6.1)")
    #expect(sent.headers["X-Request-Id"] == answer.requestID)
    #expect(answer.requestID.utf8.count == 36)
    #expect(sent.bearer == controller.authInfo?.session.accessToken?.secret)
    _ = try await controller.get()
    #expect(harness.network.requests[1].headers["Content-Type"] == nil)
    #expect(harness.network.requests[1].headers["X-Request-Id"] != answer.requestID)
  }

  @Test func `R4: a request that belongs to one session goes out with no other's token`()
    async throws
  {
    let harness = SessionHarness()
    let controller = try harness.controller()
    let generation = try harness.storage.record().generation
    var request = APIRequest(.post, "/things", body: Array("{}".utf8))
    request.sessionGeneration = generation
    #expect(try await controller.send(request).status == 200)
    request.sessionGeneration = generation &+ 1
    let error = await #expect(throws: AuthError.self) { try await controller.send(request) }
    #expect(error?.code == .notSignedIn)
    #expect(harness.network.requests.count == 1)
  }

  @Test func `R6: the replay is the same request under a fresh id, and its answer is the answer`()
    async throws
  {
    let harness = SessionHarness(accessLifetime: nil)
    harness.server.revokeAccessTokens()
    let controller = try harness.controller()
    var request = APIRequest(.put, "/things/1?x=%2F", body: Array("body".utf8))
    request.headers["X-Custom"] = "value"
    request.headers["Content-Type"] = "text/plain"
    let answer = try await controller.send(request)
    let sent = harness.network.requests.filter { $0.url.path == "/things/1" }
    #expect(answer.status == 200)
    #expect(sent.count == 2)
    #expect(sent[0].method == sent[1].method)
    #expect(sent[0].url == sent[1].url)
    #expect(sent[0].body == sent[1].body)
    var headers = sent.map(\.headers)
    #expect(headers[0]["X-Request-Id"] != headers[1]["X-Request-Id"])
    #expect(answer.requestID == headers[1]["X-Request-Id"])
    for index in headers.indices { headers[index]["X-Request-Id"] = nil }
    #expect(headers[0] == headers[1])
    #expect(sent[0].bearer != sent[1].bearer)
  }

  @Test func `R6: a 401 to the replay is returned, and the session stays`() async throws {
    let harness = SessionHarness()
    harness.server.rejectEveryToken()
    let controller = try harness.controller()
    #expect(try await controller.get().status == 401)
    #expect(harness.server.counts.rotations == 1)
    #expect(harness.server.counts.resources == 2)
    #expect(controller.state == .signedIn(.fresh))
  }

  @Test func `R7: a 401 to an old token is replayed with the current one, without a refresh`()
    async throws
  {
    let harness = SessionHarness(accessLifetime: nil)
    let controller = try harness.controller()
    harness.afterRequest.shut()
    harness.server.revokeAccessTokens()
    let late = Task { try await controller.get().status }
    await harness.afterRequest.arrival()
    try await controller.refresh()
    harness.afterRequest.open()
    #expect(try await late.value == 200)
    #expect(harness.server.counts.rotations == 1)
  }

  @Test func `R8: another origin gets no token, and its 401 refreshes nothing`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    for url in [
      "https://evil.example/things", "https://api.example.org:444/things",
      "http://api.example.org/things",
    ] {
      #expect(try await controller.get(url).status == 401)
    }
    #expect(harness.network.requests.allSatisfy { $0.bearer == nil })
    #expect(harness.server.counts.refreshIDs.isEmpty)
    #expect(controller.state == .signedIn(.fresh))
  }

  @Test func `R8: a configured base of another origin than the session's gets no token`()
    async throws
  {
    let harness = SessionHarness()
    let controller = try harness.controller {
      if let url = HTTPURL("https://other.example") { $0.baseURL = url }
    }
    #expect(try await controller.get().status == 401)
    #expect(harness.network.requests.first?.bearer == nil)
    // The refresh token goes to the session's own backend all the same.
    try await controller.refresh()
    #expect(harness.refreshRequests.first?.url.origin.host == "api.example.org")
  }

  @Test func `R8: an absolute URL of the own origin gets the token`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    #expect(try await controller.get("https://API.example.org:443/things").status == 200)
  }

  @Test func `R8: no secret goes over plain http`() async throws {
    let harness = SessionHarness(signedIn: false)
    func plain(_ configuration: inout SessionConfiguration) {
      if let url = HTTPURL("http://api.example.org") { configuration.baseURL = url }
    }
    let controller = try harness.controller(plain)
    let error = await failure { () throws(AuthError) in try await controller.signIn() }
    #expect(error?.code == .invalidInput)
    #expect(harness.network.requests.isEmpty)
    let allowed = try harness.controller { configuration in
      plain(&configuration)
      configuration.allowsPlainHTTP = true
    }
    try await allowed.signIn()
    let careful = try harness.controller(plain)
    let refused = await failure { () throws(AuthError) in _ = try await careful.get() }
    #expect(refused?.code == .invalidInput)
  }

  @Test func `R8: an Authorization of the caller replaces the session's and refreshes nothing`()
    async throws
  {
    let harness = SessionHarness()
    let controller = try harness.controller()
    var request = APIRequest(.get, "/things")
    request.headers["Authorization"] = "Basic abc"
    #expect(try await controller.send(request).status == 401)
    #expect(harness.network.requests.first?.bearer == nil)
    #expect(harness.refreshRequests.isEmpty)
  }

  @Test(arguments: ["/auth/login", "/auth/register", "/auth/refresh", "//auth//logout/"])
  func `R12: login, register, refresh and logout carry no token and never refresh`(
    _ path: String
  ) async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    _ = try await controller.send(APIRequest(.post, path, body: Array("{}".utf8)))
    #expect(harness.network.requests.count == 1)
    #expect(harness.network.requests.first?.bearer == nil)
    #expect(controller.state == .signedIn(.fresh))
  }

  @Test func `signed out, nothing is sent`() async throws {
    let harness = SessionHarness(signedIn: false)
    let controller = try harness.controller()
    let error = await failure { () throws(AuthError) in _ = try await controller.get() }
    #expect(error?.code == .notSignedIn)
    #expect(harness.network.requests.isEmpty)
    #expect(try await controller.get("https://other.example/x").status == 401)
  }

  @Test(arguments: ["/a/../b", "ftp://x/y", "/a\u{0}b", "/%zz"])
  func `a path that is none is invalid input`(_ path: String) async throws {
    let controller = try SessionHarness().controller()
    let error = await failure { () throws(AuthError) in _ = try await controller.get(path) }
    #expect(error?.code == .invalidInput)
  }

  @Test func `the user is asked for and kept beside the session`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    #expect(try await controller.currentUser().id == UserID("user-1"))
    #expect(try harness.record.authInfo?.user?.id == UserID("user-1"))
    harness.server.rejectEveryToken()
    let error = await failure { () throws(AuthError) in _ = try await controller.currentUser() }
    #expect(error?.code == .rejected)
    #expect(error?.status == 401)
    #expect(error?.requestID == harness.network.requests.last?.headers["X-Request-Id"])
  }
}
