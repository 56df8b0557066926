import AuthNetworking
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct CurlHTTP2Tests {
  private func withHTTP2Server(
    script: @escaping @Sendable (inout TestHTTP2, TestConnection) throws -> Void,
    _ body: (TestServer, CurlTransport) async throws -> Void
  ) async throws {
    let authority = try TestIdentity.authority()
    let identity = try TestIdentity.server(authority)
    try await withCAFile(authority) { file in
      let transport = try CurlTransport(.unhurried(caFile: file))
      let serve: @Sendable (TestConnection) throws -> Void = { connection in
        guard var session = try TestHTTP2(connection) else { return }
        try script(&session, connection)
      }
      try await withServer(identity: identity, offersHTTP2: true, script: serve) { server in
        try await body(server, transport)
      }
    }
  }

  private static func respondToAll(_ session: inout TestHTTP2) throws {
    while case .request(let stream, _) = try session.next() { try session.respond(stream) }
  }

  @Test func `requests of one moment share one connection`() async throws {
    try await withHTTP2Server(script: { session, _ in
      try CurlHTTP2Tests.respondToAll(&session)
    }) { server, transport in
      try await withThrowingTaskGroup(of: [UInt8].self) { group in
        for number in 0..<20 {
          group.addTask {
            try await server.fetch(
              number.isMultiple(of: 2) ? .get : .post,
              host: "localhost",
              scheme: "https",
              transport: transport
            ) { if !number.isMultiple(of: 2) { $0.body = [1, 2, 3] } }.body
          }
        }
        for try await body in group { #expect(body == Array("ok".utf8)) }
      }
      #expect(server.connections == 1)
    }
  }

  @Test(arguments: [HTTPMethod.get, .post])
  func `a connection that goes away between requests costs none of them`(
    method: HTTPMethod
  ) async throws {
    let bodies = Mutex<[[UInt8]]>([])
    try await withHTTP2Server(script: { session, connection in
      // As Node does after some 1,000 requests, here after the second.
      for count in 1... {
        guard case .request(let stream, let body) = try session.next() else { return }
        bodies.withLock { $0.append(body) }
        if connection.index == 0, count == 2 { try session.goAway(after: stream) }
        try session.respond(stream)
      }
    }) { server, transport in
      for number in 0..<6 {
        let response = try await server.fetch(
          method,
          host: "localhost",
          scheme: "https",
          transport: transport
        ) { if method == .post { $0.body = [UInt8(number)] } }
        #expect(response.status == 200)
      }
      #expect(bodies.withLock { $0 } == (0..<6).map { method == .post ? [UInt8($0)] : [] })
      #expect(server.connections == 2)
    }
  }

  @Test func `a request that the server says it never looked at is sent again`() async throws {
    let processed = Mutex(0)
    try await withHTTP2Server(script: { session, connection in
      var last: UInt32 = 0
      while case .request(let stream, _) = try session.next() {
        if connection.index == 0, last > 0 {
          try session.goAway(after: last)
          connection.waitForClose()
          return
        }
        last = stream
        processed.withLock { $0 += 1 }
        try session.respond(stream)
      }
    }) { server, transport in
      for _ in 0..<2 {
        let response = try await server.fetch(
          .get,
          host: "localhost",
          scheme: "https",
          transport: transport
        )
        #expect(response.status == 200)
      }
      #expect(processed.withLock { $0 } == 2)
      #expect(server.connections == 2)
    }
  }

  @Test(arguments: [HTTPMethod.get, .post])
  func `a stream that ends with an error is a network error`(method: HTTPMethod) async throws {
    let requests = Mutex(0)
    try await withHTTP2Server(script: { session, _ in
      while case .request(let stream, _) = try session.next() {
        requests.withLock { $0 += 1 }
        try session.reset(stream, code: 2)
      }
    }) { server, transport in
      let code = try await server.failure(
        method,
        scheme: "https",
        host: "localhost",
        transport: transport
      ) { if method == .post { $0.body = [1] } }
      #expect(code == .network)
      // What may be repeated was tried once more; a POST never.
      #expect(requests.withLock { $0 } == (method == .get ? 2 : 1))
    }
  }

  @Test func `over TLS without HTTP/2 a hanging request holds up no other`() async throws {
    let authority = try TestIdentity.authority()
    let identity = try TestIdentity.server(authority)
    let received = Latch()
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      while let request = connection.request() {
        if request.line.contains("/hangs") {
          received.open()
          connection.waitForClose()
        } else {
          try connection.respond(body: [1])
        }
      }
    }
    try await withCAFile(authority) { file in
      let transport = try CurlTransport(.unhurried(caFile: file))
      try await withServer(identity: identity, script: script) { server in
        func fetch(_ path: String) async throws -> [UInt8] {
          try await server.fetch(
            .get,
            path,
            host: "localhost",
            scheme: "https",
            transport: transport
          ).body
        }
        let hanging = Task { try await fetch("/hangs") }
        await received.wait()
        let other = try await fetch("/other")
        #expect(other == [1])
        hanging.cancel()
        await #expect(throws: TransportError.self) { try await hanging.value }
      }
    }
  }
}
