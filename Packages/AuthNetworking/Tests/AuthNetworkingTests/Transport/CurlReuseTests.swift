import AuthNetworking
import SessionModels
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct CurlReuseTests {
  @Test(arguments: [HTTPMethod.get, .put, .post, .delete])
  func `a connection is used again`(method: HTTPMethod) async throws {
    try await withServer(script: { try $0.respondToAll(body: [1]) }) { server in
      let transport = try CurlTransport(.unhurried())
      for _ in 0..<5 {
        _ = try await server.fetch(method, transport: transport) {
          if method == .put || method == .post { $0.body = [1, 2] }
        }
      }
      #expect(server.requests.map(\.connection) == [0, 0, 0, 0, 0])
    }
  }

  /// Answers one request a connection, and closes the first when the second request is read:
  /// what a server does that gives up idle connections at the wrong moment.
  private static let closesUnderSecondRequest: @Sendable (TestConnection) throws -> Void = {
    connection in
    guard connection.request() != nil else { return }
    try connection.respond(body: [1])
    guard connection.request() != nil, connection.index > 0 else { return }
    try connection.respond(body: [2])
  }

  @Test(arguments: [HTTPMethod.get, .put, .delete])
  func `what may be repeated is sent again when a kept connection breaks`(
    method: HTTPMethod
  ) async throws {
    try await withServer(script: CurlReuseTests.closesUnderSecondRequest) { server in
      let transport = try CurlTransport(.unhurried())
      _ = try await server.fetch(transport: transport)
      let response = try await server.fetch(method, transport: transport) {
        if method == .put { $0.body = [1, 2] }
      }
      #expect(response.status == 200)
      #expect(server.requests.map(\.connection) == [0, 0, 1])
      #expect(server.requests.dropFirst().allSatisfy { $0.line.hasPrefix(method.rawValue) })
    }
  }

  @Test func `a POST with an idempotency key is sent again when a kept connection breaks`()
    async throws
  {
    try await withServer(script: CurlReuseTests.closesUnderSecondRequest) { server in
      let transport = try CurlTransport(.unhurried())
      _ = try await server.fetch(transport: transport)
      let response = try await server.fetch(.post, transport: transport) {
        $0.body = [1, 2]
        $0.headers[IdempotencyKey.headerName] = IdempotencyKey().headerValue
      }
      #expect(response.status == 200)
      let posts = server.requests.filter { $0.line.hasPrefix("POST") }
      #expect(posts.map(\.body) == [[1, 2], [1, 2]])
      #expect(Set(posts.map { $0["idempotency-key"] }).count == 1)
    }
  }

  @Test(arguments: ["file", "stream", "one-shot"])
  func `a body that is not in memory is read again when a kept connection breaks, if it can be`(
    kind: String
  ) async throws {
    try await withTemporaryFolder { folder in
      let bytes = pattern(100_000)
      let path = try folder.write(bytes, "upload")
      try await withServer(script: CurlReuseTests.closesUnderSecondRequest) { server in
        let transport = try CurlTransport(.unhurried())
        _ = try await server.fetch(transport: transport)
        let code = try await server.failure(.put, transport: transport) {
          $0.content =
            switch kind {
            case "file": try? .file(path)
            case "stream": .stream(length: 100_000) { Pieces(pieces: [bytes]) }
            default: .oneShot(length: 100_000, Pieces(pieces: [bytes]))
            }
        }
        let isOnce = kind == "one-shot"
        #expect(code == (isOnce ? .network : nil))
        let bodies = server.requests.dropFirst().map(\.body)
        #expect(bodies == Array(repeating: bytes, count: isOnce ? 1 : 2))
      }
    }
  }

  @Test(arguments: [HTTPMethod.post, .patch])
  func `a POST that the server may have seen is not sent again`(
    method: HTTPMethod
  ) async throws {
    try await withServer(script: CurlReuseTests.closesUnderSecondRequest) { server in
      let transport = try CurlTransport(.unhurried())
      _ = try await server.fetch(transport: transport)
      let error = await #expect(throws: TransportError.self) {
        try await server.fetch(method, transport: transport) { $0.body = Array("refresh".utf8) }
      }
      #expect(error?.code == .network)
      // libcurl speaks of a rewind.
      #expect(error?.message.contains("must not be sent twice") == true)
      #expect(server.requests.filter { $0.line.hasPrefix(method.rawValue) }.count == 1)
    }
  }

  @Test func `a POST without a body takes a connection of its own`() async throws {
    try await withServer(script: CurlReuseTests.closesUnderSecondRequest) { server in
      let transport = try CurlTransport(.unhurried())
      _ = try await server.fetch(transport: transport)
      let response = try await server.fetch(.post, transport: transport)
      #expect(response.status == 200)
      #expect(server.requests.map(\.connection) == [0, 1])
    }
  }

  @Test(arguments: [(HTTPMethod.post, [0, 1]), (.patch, [0, 1]), (.put, [0, 0])])
  func `what must not be repeated takes no connection that was idle for too long`(
    method: HTTPMethod,
    connections: [Int]
  ) async throws {
    try await withServer(script: { try $0.respondToAll(body: [1]) }) { server in
      var configuration = CurlConfiguration()
      configuration.longestIdleBeforePost = 0
      let transport = try CurlTransport(configuration)
      _ = try await server.fetch(transport: transport)
      _ = try await server.fetch(method, transport: transport) { $0.body = [1] }
      #expect(server.requests.map(\.connection) == connections)
    }
  }

  @Test func `a connection that the server has closed meanwhile is not used`() async throws {
    let closed = Latch()
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      _ = connection.request()
      try connection.respond()
      connection.close()
      closed.open()
    }
    try await withServer(script: script) { server in
      let transport = try CurlTransport(.unhurried())
      _ = try await server.fetch(transport: transport)
      await closed.wait()
      let response = try await server.fetch(.post, transport: transport) { $0.body = [1] }
      #expect(response.status == 200)
      #expect(server.requests.map(\.connection) == [0, 1])
    }
  }

  @Test func `a fresh POST that gets no answer is sent once`() async throws {
    try await withServer(script: { _ = $0.request() }) { server in
      let code = try await server.failure(.post) { $0.body = [1] }
      #expect(code == .network)
      #expect(server.requests.count == 1)
    }
  }
}
