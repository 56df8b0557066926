import AuthNetworking
import AuthNetworkingTesting
import SessionModels
import Synchronization
import Testing

/// Bodies, destinations and deadlines of authenticated requests.
struct RequestBodyTests {
  private static func sent(_ harness: SessionHarness) -> [HTTPRequest] {
    harness.network.requests.filter { $0.url.path == "/things" }
  }

  @Test func `a body is sent as its type, and the caller's own header stands`() async throws {
    try await withTemporaryFolder { folder in
      let path = try folder.write([1, 2], "file")
      let bodies: [(RequestBody, String)] = [
        (.json(["a": 1]), "application/json"), (.bytes([1]), "application/octet-stream"),
        (.bytes([1], contentType: "text/plain"), "text/plain"),
        (try .file(path, contentType: "image/png"), "image/png"),
        (.stream { Pieces(pieces: [[1]]) }, "application/octet-stream"),
      ]
      let harness = SessionHarness()
      let controller = try harness.controller()
      for (content, _) in bodies {
        var request = APIRequest(.post, "/things")
        request.content = content
        _ = try await controller.send(request)
      }
      var request = APIRequest(.post, "/things", headers: HTTPHeaders([("Content-Type", "a/b")]))
      request.content = .json([])
      _ = try await controller.send(request)
      let types = RequestBodyTests.sent(harness).map { $0.headers["Content-Type"] }
      #expect(types == bodies.map(\.1) + ["a/b"])
      #expect(RequestBodyTests.sent(harness).first?.body == Array(#"{"a":1}"#.utf8))
    }
  }

  @Test func `R6: a file is read again for the replay`() async throws {
    try await withTemporaryFolder { folder in
      let harness = SessionHarness(accessLifetime: nil)
      harness.server.revokeAccessTokens()
      let controller = try harness.controller()
      var request = APIRequest(.put, "/things")
      request.content = try .file(try folder.write(pattern(100_000), "file"))
      #expect(try await controller.send(request).status == 200)
      #expect(
        RequestBodyTests.sent(harness).map(\.body) == [pattern(100_000), pattern(100_000)]
      )
    }
  }

  @Test func `R6: a file that changed before the replay is an error, and is not sent`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let harness = SessionHarness(accessLifetime: nil)
      harness.server.revokeAccessTokens()
      harness.afterRefresh.shut()
      let controller = try harness.controller()
      var request = APIRequest(.put, "/things")
      request.content = try .file(try folder.write([1, 2], "file"))
      let sending = Task { [request] in try await controller.send(request) }
      await harness.afterRefresh.arrival()
      try folder.write([3, 4], "file")
      harness.afterRefresh.open()
      let error = await #expect(throws: AuthError.self) { try await sending.value }
      #expect(error?.code == .body)
      #expect(RequestBodyTests.sent(harness).count == 1)
      #expect(controller.state == .signedIn(.fresh))
    }
  }

  @Test func `R6: a stream is made anew for the replay`() async throws {
    let harness = SessionHarness(accessLifetime: nil)
    harness.server.revokeAccessTokens()
    let controller = try harness.controller()
    let made = Atomic(0)
    var request = APIRequest(.post, "/things")
    request.content = .stream(length: 3) {
      made.add(1, ordering: .relaxed)
      return Pieces(pieces: [[1], [2, 3]])
    }
    #expect(try await controller.send(request).status == 200)
    #expect(made.load(ordering: .relaxed) == 2)
    #expect(RequestBodyTests.sent(harness).map(\.body) == [[1, 2, 3], [1, 2, 3]])
  }

  @Test func `R6: a one-shot stream is not replayed, the error says so, the session is refreshed`()
    async throws
  {
    let harness = SessionHarness(accessLifetime: nil)
    harness.server.revokeAccessTokens()
    let controller = try harness.controller()
    var request = APIRequest(.post, "/things")
    request.content = .oneShot(Pieces(pieces: [[1], [2]]))
    let first = request
    let error = await failure { () throws(AuthError) in _ = try await controller.send(first) }
    #expect(error?.code == .body)
    #expect(error?.status == 401)
    #expect(error?.isTemporary == false)
    let sent = RequestBodyTests.sent(harness)
    #expect(sent.count == 1)
    #expect(error?.requestID == sent.first?.headers["X-Request-Id"])
    #expect(harness.server.counts.rotations == 1)
    request.content = .oneShot(Pieces(pieces: [[1], [2]]))
    #expect(try await controller.send(request).status == 200)
  }

  @Test func `R6: where no refresh would help, the 401 to a one-shot stream is the answer`()
    async throws
  {
    let harness = SessionHarness()
    let controller = try harness.controller()
    var request = APIRequest(.post, "https://other.example/things")
    request.content = .oneShot(Pieces(pieces: [[1]]))
    #expect(try await controller.send(request).status == 401)
  }

  @Test func `a redirect that asks for a one-shot stream again is a body error`() async throws {
    let harness = SessionHarness()
    let network = ScriptedTransport { _ throws(TransportError) in
      HTTPResponse(status: 307, headers: HTTPHeaders([("Location", "/elsewhere")]))
    }
    let controller = try harness.controller(transport: network)
    var request = APIRequest(.post, "/things")
    request.content = .oneShot(Pieces(pieces: [[1]]))
    let sent = request
    let error = await failure { () throws(AuthError) in _ = try await controller.send(sent) }
    #expect(error?.code == .body)
    #expect(network.requests.count == 1)
  }

  @Test func `a destination gets the replay's answer, and no 401`() async throws {
    try await withTemporaryFolder { folder in
      let harness = SessionHarness(accessLifetime: nil)
      harness.server.revokeAccessTokens()
      let controller = try harness.controller()
      var request = APIRequest(.get, "/things")
      request.destination = DownloadTarget(folder.file("answer"))
      let seen = Mutex<[TransferProgress]>([])
      request.onProgress = { progress in seen.withLock { $0.append(progress) } }
      let answer = try await controller.send(request)
      #expect(answer.status == 200)
      #expect(answer.body.isEmpty)
      let saved = try #require(folder.read("answer"))
      #expect(JSONValue(parsing: saved)?["id"]?.string == "user-1")
      #expect(answer.savedBytes == Int64(saved.count))
      #expect(folder.names == ["answer"])
      #expect(seen.withLock { $0.last?.receivedBytes } == Int64(saved.count))
      harness.server.rejectEveryToken()
      let refused = try await controller.send(request)
      #expect(refused.status == 401)
      #expect(refused.savedBytes == nil)
      #expect(!refused.body.isEmpty)
      #expect(folder.read("answer") == saved)
    }
  }

  @Test func `the limit is the request's own, or the configuration's`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller { $0.maximumResponseBytes = 100 }
    var request = APIRequest(.get, "/things")
    _ = try await controller.send(request)
    request.maximumResponseBytes = 7
    _ = try await controller.send(request)
    #expect(RequestBodyTests.sent(harness).map(\.maximumResponseBytes) == [100, 7])
  }

  @Test func `an idempotency key is a quoted string, and the same in the replay`() async throws {
    let harness = SessionHarness(accessLifetime: nil)
    harness.server.revokeAccessTokens()
    let controller = try harness.controller()
    var request = APIRequest(.post, "/things", body: [1])
    request.idempotencyKey = IdempotencyKey("order-17")
    #expect(try await controller.send(request).status == 200)
    let sent = RequestBodyTests.sent(harness)
    #expect(sent.map { $0.headers["Idempotency-Key"] } == [#""order-17""#, #""order-17""#])
    #expect(sent[0].headers["X-Request-Id"] != sent[1].headers["X-Request-Id"])
    #expect(sent.map(\.isRepeatable) == [true, true])
    _ = try await controller.send(APIRequest(.post, "/things", body: [1]))
    #expect(RequestBodyTests.sent(harness).last?.isRepeatable == false)
    #expect(IdempotencyKey() != IdempotencyKey())
    #expect(IdempotencyKey().text.utf8.count == 36)
  }

  @Test(arguments: ["", "a b", "a\"b", "a\\b", "ä", "a\r\n", String(repeating: "a", count: 256)])
  func `what no idempotency key can be`(_ text: String) { #expect(IdempotencyKey(text) == nil) }

  @Test(arguments: ["/moved", "https://other.example/"])
  func `a key goes to its own server, with the method that it was made for`(
    _ location: String
  ) async throws {
    let harness = SessionHarness()
    let network = ScriptedTransport { request throws(TransportError) in
      guard request.url.path == "/things" else { return HTTPResponse(status: 200) }
      return HTTPResponse(status: 303, headers: HTTPHeaders([("Location", location)]))
    }
    let controller = try harness.controller(transport: network)
    var request = APIRequest(.get, "/things")
    request.idempotencyKey = IdempotencyKey()
    _ = try await controller.send(request)
    #expect(network.requests.map { $0.headers["Idempotency-Key"] == nil } == [false, true])
  }
}

/// Deadlines, which bound everything that a request waits for.
struct RequestDeadlineTests {
  private static let request: APIRequest = {
    var request = APIRequest(.get, "/things")
    request.deadline = .seconds(5)
    return request
  }()

  /// Runs a request into its deadline once it waits at a gate.
  private static func late(
    _ harness: SessionHarness,
    at gate: Gate,
    _ arrivals: Int = 1
  ) async throws -> AuthError? {
    let controller = try harness.controller()
    let sleepers = harness.clock.sleepers
    let error = Task {
      await failure { () throws(AuthError) in _ = try await controller.send(request) }
    }
    await gate.arrival(arrivals)
    while harness.clock.sleepers <= sleepers { await Task.yield() }
    harness.clock.advance(by: .seconds(5))
    return await error.value
  }

  @Test func `the answer does not come`() async throws {
    let harness = SessionHarness()
    harness.afterRequest.shut()
    let error = try await RequestDeadlineTests.late(harness, at: harness.afterRequest)
    #expect(error?.code == .timeout)
  }

  @Test func `R10: the refresh does not come, and goes on`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.afterRefresh.shut()
    let controller = try harness.controller()
    let sending = Task {
      await failure { () throws(AuthError) in
        _ = try await controller.send(RequestDeadlineTests.request)
      }
    }
    await harness.afterRefresh.arrival()
    while harness.clock.sleepers < 2 { await Task.yield() }
    harness.clock.advance(by: .seconds(5))
    let error = await sending.value
    #expect(error?.code == .timeout)
    #expect(harness.network.requests.count == 1)
    harness.afterRefresh.open()
    _ = try await controller.token()
    #expect(harness.server.counts.rotations == 1)
  }

  @Test func `the replay has what is left`() async throws {
    let harness = SessionHarness(accessLifetime: nil)
    let network = ScriptedTransport { [harness] request throws(TransportError) in
      let answer = try harness.server.answer(request)
      // The refused request and the refresh take their time. Were the replay as slow, it would be late.
      if answer.status != 200 || request.url.path != "/things" {
        harness.clock.advance(by: .seconds(2))
      }
      return answer
    }
    harness.server.revokeAccessTokens()
    let controller = try harness.controller(transport: network)
    _ = try await controller.send(RequestDeadlineTests.request)
    let sent = network.requests.filter { $0.url.path == "/things" }
    #expect(sent.map(\.timeout) == [.seconds(5), .seconds(1)])
  }

  @Test func `an answer in time is the answer, and a shorter timeout stands`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    var request = RequestDeadlineTests.request
    request.timeout = .seconds(2)
    #expect(try await controller.send(request).status == 200)
    #expect(harness.network.requests.map(\.timeout) == [.seconds(2)])
  }

  @Test func `who is cancelled is cancelled, not late`() async throws {
    let harness = SessionHarness()
    harness.beforeRequest.shut()
    let controller = try harness.controller()
    let sending = Task {
      await failure { () throws(AuthError) in
        _ = try await controller.send(RequestDeadlineTests.request)
      }
    }
    await harness.beforeRequest.arrival()
    sending.cancel()
    let error = await sending.value
    #expect(error?.code == .cancelled)
  }
}
