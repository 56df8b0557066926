import AuthNetworking
import SessionModels
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct CurlReuseTests {
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

  @Test(arguments: [HTTPMethod.post, .patch])
  func `a POST that the server may have seen is not sent again`(
    method: HTTPMethod
  ) async throws {
    try await withServer(script: CurlReuseTests.closesUnderSecondRequest) { server in
      let transport = try CurlTransport(.unhurried())
      _ = try await server.fetch(transport: transport)
      let code = try await server.failure(method, transport: transport) {
        $0.body = Array("refresh".utf8)
      }
      #expect(code == .network)
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

@Suite(.timeLimit(.minutes(1))) struct CurlCancellationTests {
  @Test func `cancelling ends the request, and its connection`() async throws {
    let received = Latch()
    let closed = Latch()
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      _ = connection.request()
      received.open()
      connection.waitForClose()
      closed.open()
    }
    try await withServer(script: script) { server in
      let transport = try CurlTransport(.unhurried())
      let task = Task { try await server.failure(transport: transport) }
      await received.wait()
      task.cancel()
      #expect(try await task.value == .cancelled)
      await closed.wait()
    }
  }

  @Test func `a cancelled task sends nothing`() async throws {
    try await withServer(script: { try $0.respondToAll() }) { server in
      let transport = try CurlTransport(.unhurried())
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await server.failure(transport: transport)
      }
      #expect(try await task.value == .cancelled)
      let response = try await server.fetch(.get, "/after", transport: transport)
      #expect(response.status == 200)
      #expect(server.requests.map(\.line) == ["GET /after HTTP/1.1"])
    }
  }

  @Test func `cancelling one request leaves the others alone`() async throws {
    let received = Latch()
    let release = Latch()
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      while let request = connection.request() {
        if request.line.contains("/hangs") {
          received.open()
          connection.waitForClose()
        } else {
          release.waitBlocking()
          try connection.respond(body: [1])
        }
      }
    }
    try await withServer(script: script) { server in
      let transport = try CurlTransport(.unhurried())
      let other = Task { try await server.fetch(.get, "/other", transport: transport) }
      let hanging = Task { try await server.fetch(.get, "/hangs", transport: transport) }
      await received.wait()
      hanging.cancel()
      await #expect(throws: TransportError.self) { try await hanging.value }
      release.open()
      #expect(try await other.value.body == [1])
    }
  }

  @Test func `a transport that goes away closes its connections`() async throws {
    let closed = Latch()
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      try connection.respondToAll()
      closed.open()
    }
    try await withServer(script: script) { server in
      _ = try await server.fetch()
      await closed.wait()
    }
  }
}
