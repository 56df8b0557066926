import AuthNetworking
import Testing

/// What ends before its answer, and what is left of it.
@Suite(.eachTransport, .timeLimit(.minutes(5))) struct CancellationTests {
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
      let transport = try TransportUnderTest.current()
      let task = Task { try await server.failure(transport: transport) }
      await received.wait()
      task.cancel()
      #expect(try await task.value == .cancelled)
      await closed.wait()
    }
  }

  @Test func `a cancelled task sends nothing`() async throws {
    try await withServer(script: { try $0.respondToAll() }) { server in
      let transport = try TransportUnderTest.current()
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
      let transport = try TransportUnderTest.current()
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
