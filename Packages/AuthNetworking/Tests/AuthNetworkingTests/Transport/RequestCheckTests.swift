import AuthNetworking
import SessionModels
import Testing

@Suite(.timeLimit(.minutes(5))) struct RequestCheckTests {
  @Test(
    arguments: [
      ("X-A", "a\r\nX-Evil: 1"), ("X-A", "a\nb"), ("X-A", "a\rb"), ("X-A", "a\u{0}b"),
      ("X-A", "\u{7F}"), ("X-A\r\nX-Evil", "1"), ("X A", "1"), ("", "1"), ("X-A:", "1"),
      ("Xä", "1"), ("Host", "evil.example"), ("content-length", "5"),
      ("Transfer-Encoding", "chunked"), ("Connection", "close"), ("Expect", "100-continue"),
      ("Upgrade", "h2c"), ("Proxy-Authorization", "Basic x"),
    ]
  )
  func `a header field that would be something else on the wire is refused`(
    name: String,
    value: String
  ) async throws {
    try await withServer(script: { try $0.respondToAll() }) { server in
      let code = try await server.failure { $0.headers.add(name, value) }
      #expect(code == .invalidRequest)
      #expect(server.connections == 0)
    }
  }

  @Test(arguments: ["", "GET /x", "GET\r\n", "GÄT", "CONNECT", "A:B"])
  func `a method that is none is refused`(method: String) async throws {
    try await withServer(script: { try $0.respondToAll() }) { server in
      let code = try await server.failure(HTTPMethod(rawValue: method))
      #expect(code == .invalidRequest)
      #expect(server.connections == 0)
    }
  }

  @Test(arguments: ["a b", "a\r\nX-Evil: 1", "ä", "a\u{0}"])
  func `a token that no header can carry is refused, and not shown`(token: String) async throws {
    try await withServer(script: { try $0.respondToAll() }) { server in
      let error = await #expect(throws: TransportError.self) {
        try await server.fetch { $0.bearer = Secret(token) }
      }
      #expect(error?.code == .invalidRequest)
      #expect(error?.message.contains(token) == false)
    }
  }

  @Test func `HEAD with a body is refused`() async throws {
    try await withServer(script: { try $0.respondToAll() }) { server in
      let code = try await server.failure(.head) { $0.body = [1] }
      #expect(code == .invalidRequest)
    }
  }
}
