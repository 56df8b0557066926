import AuthNetworking
import Testing

/// One request, one answer, and nothing that was not asked for.
@Suite(.eachTransport, .timeLimit(.minutes(5))) struct ExchangeTests {
  @Test(
    arguments: [
      ("GET", nil, []), ("GET", "x", ["1"]), ("HEAD", nil, []), ("POST", nil, ["0"]),
      ("POST", "", ["0"]), ("POST", "body", ["4"]), ("PUT", nil, ["0"]), ("PUT", "body", ["4"]),
      ("PATCH", "body", ["4"]), ("PATCH", "", ["0"]), ("DELETE", nil, []),
      ("DELETE", "body", ["4"]), ("OPTIONS", nil, []), ("PROPFIND", "body", ["4"]),
      ("M-SEARCH", nil, []),
    ] as [(String, String?, [String])]
  )
  func `any method, with and without a body`(
    method: String,
    body: String?,
    lengths: [String]
  ) async throws {
    let isHead = method == "HEAD"
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      while connection.request() != nil {
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" + (isHead ? "" : "ok"))
      }
    }
    try await withServer(script: script) { server in
      let response = try await server.fetch(HTTPMethod(rawValue: method)) {
        $0.body = body.map { Array($0.utf8) }
      }
      #expect(response.status == 200)
      #expect(response.body == (isHead ? [] : Array("ok".utf8)))
      let request = try #require(server.requests.first)
      #expect(request.line == "\(method) / HTTP/1.1")
      #expect(request["content-length"] == lengths)
      #expect(request.body == Array((body ?? "").utf8))
      #expect(!request.names.contains("expect"))
      #expect(!request.names.contains("content-type"))
    }
  }

  @Test func `a large body is sent without asking first`() async throws {
    try await withServer(script: { try $0.respondToAll() }) { server in
      let body = [UInt8](repeating: 7, count: 3 << 20)
      for method in [HTTPMethod.post, .put] {
        _ = try await server.fetch(method) { $0.body = body }
      }
      #expect(server.requests.map(\.body) == [body, body])
      #expect(server.requests.allSatisfy { !$0.names.contains("expect") })
    }
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func `R8: no redirect is followed`(status: Int) async throws {
    let script: @Sendable (TestConnection) throws -> Void = {
      try $0.respondToAll(status, ["Location: /elsewhere"], body: Array("moved".utf8))
    }
    try await withServer(script: script) { server in
      let response = try await server.fetch(.post) { $0.body = [1] }
      #expect(response.status == status)
      #expect(response.headers["location"] == "/elsewhere")
      #expect(response.body == Array("moved".utf8))
      #expect(server.requests.count == 1)
    }
  }

  @Test func `a challenge is an answer, and is not answered`() async throws {
    let fields = [#"WWW-Authenticate: Basic realm="x""#, "WWW-Authenticate: Negotiate"]
    try await withServer(script: { try $0.respondToAll(401, fields) }) { server in
      let response = try await server.fetch()
      #expect(response.status == 401)
      #expect(response.headers.fields.filter { $0.name == "WWW-Authenticate" }.count == 2)
      #expect(server.requests.count == 1)
    }
  }

  @Test func `R8: a cookie is not kept`() async throws {
    try await withServer(script: { try $0.respondToAll(200, ["Set-Cookie: a=b"]) }) { server in
      let transport = try TransportUnderTest.current()
      _ = try await server.fetch(transport: transport)
      _ = try await server.fetch(transport: transport)
      #expect(server.requests.count == 2)
      #expect(server.requests.allSatisfy { $0["cookie"].isEmpty })
    }
  }

  @Test func `interim answers are not the answer`() async throws {
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      _ = connection.request()
      try connection.send("HTTP/1.1 100 Continue\r\nX-Interim: 1\r\n\r\n")
      try connection.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
      try connection.respond(200, ["X-Last: 2"], body: [1])
    }
    try await withServer(script: script) { server in
      let response = try await server.fetch()
      #expect(response.status == 200)
      #expect(response.headers == HTTPHeaders([("X-Last", "2"), ("Content-Length", "1")]))
      #expect(response.body == [1])
    }
  }

  @Test func `an answer in chunks is joined, its trailers are dropped`() async throws {
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      _ = connection.request()
      try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\n\r\n")
      try connection.send("3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n")
    }
    try await withServer(script: script) { server in
      let response = try await server.fetch()
      #expect(response.body == Array("abcde".utf8))
      #expect(response.headers["X-A"] == "1")
      #expect(response.headers["X-Trailer"] == nil)
    }
  }

  @Test func `many requests at once all get their own answer`() async throws {
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      while let request = connection.request() {
        try connection.respond(body: Array(request.line.utf8))
      }
    }
    try await withServer(script: script) { server in
      let transport = try TransportUnderTest.current()
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<200 {
          group.addTask {
            let response = try await server.fetch(.get, "/\(number)", transport: transport)
            return response.body == Array("GET /\(number) HTTP/1.1".utf8)
          }
        }
        for try await isRight in group { #expect(isRight) }
      }
      #expect(server.requests.count == 200)
      #expect(server.mostConnections <= 100)
    }
  }

  @Test func `no server is a network error that names the host`() async throws {
    let server = try TestServer { _ in }
    server.stop()
    let transport = try TransportUnderTest.current()
    for text in ["http://127.0.0.1:\(server.port)/secret-path", "http://nowhere.invalid/"] {
      let url = try HTTPURL(parsing: text)
      let error = await #expect(throws: TransportError.self) {
        // Without a network a resolver takes its time to give up.
        try await transport.send(HTTPRequest(method: .get, url: url, timeout: .seconds(100)))
      }
      #expect(error?.code == .network)
      #expect(error?.message.contains(url.origin.text) == true)
      #expect(error?.message.contains("secret-path") == false)
    }
  }
}
