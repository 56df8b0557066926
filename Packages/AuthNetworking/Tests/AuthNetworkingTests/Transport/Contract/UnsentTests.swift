import AuthNetworking
import Testing

/// What a failure says of the request: nothing of it got out, or nobody knows.
@Suite(.eachTransport, .timeLimit(.minutes(5))) struct UnsentTests {
  private func failure(
    _ method: HTTPMethod,
    _ url: String,
    timeout: Duration = .seconds(100),
    trust: TransportUnderTest.Trust = .init()
  ) async throws -> TransportError? {
    var request = HTTPRequest(method: method, url: try HTTPURL(parsing: url), timeout: timeout)
    if method == .post { request.body = Array("{}".utf8) }
    let transport = try TransportUnderTest.current.make(trust)
    return await #expect(throws: TransportError.self) { try await transport.send(request) }
  }

  @Test(arguments: [HTTPMethod.get, .post])
  func `where nobody listens, or no such host is, nothing is sent`(method: HTTPMethod) async throws
  {
    let server = try TestServer { _ in }
    server.stop()
    for url in ["http://127.0.0.1:\(server.port)/", "http://nowhere.invalid/"] {
      let error = try await failure(method, url)
      #expect(error?.code == .network)
      #expect(error?.isUnsent == true, "\(url)")
    }
  }

  @Test(arguments: [HTTPMethod.get, .post])
  func `to a server that is not to be trusted nothing is sent`(method: HTTPMethod) async throws {
    let authority = try TestIdentity.authority()
    let wrong = try #require(authority.pin)
    let identity = try TestIdentity.server(authority)
    try await withServer(identity: identity, script: { try $0.respondToAll() }) { server in
      let url = "https://localhost:\(server.port)/"
      let untrusted = try await failure(method, url)
      #expect(untrusted?.code == .tls)
      #expect(untrusted?.isUnsent == true)
      try await withCAFile(authority) { file in
        let trust = TransportUnderTest.Trust(caFile: file, pinning: PinPolicy([.init(wrong)]))
        let mismatched = try await failure(method, url, trust: trust)
        #expect(mismatched?.code == .pinMismatch)
        #expect(mismatched?.isUnsent == true)
      }
      #expect(server.requests.isEmpty)
    }
  }

  @Test func `a handshake that takes too long has sent nothing`() async throws {
    try await withServer(script: { $0.waitForClose() }) { server in
      let url = "https://127.0.0.1:\(server.port)/"
      let error = try await failure(.post, url, timeout: .milliseconds(300))
      #expect(error?.code == .timeout)
      #expect(error?.isUnsent == true)
    }
  }

  @Test(arguments: [HTTPMethod.get, .post])
  func `what was read, or may have been, is not unsent`(method: HTTPMethod) async throws {
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      _ = connection.request()
      connection.reset()
    }
    try await withServer(script: script) { server in
      let error = try await failure(method, "http://127.0.0.1:\(server.port)/")
      #expect(error?.code == .network)
      #expect(error?.isUnsent == false)
      #expect(!server.requests.isEmpty)
    }
  }

  @Test func `an answer that breaks off is not unsent`() async throws {
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      _ = connection.request()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    }
    try await withServer(script: script) { server in
      let error = try await failure(.post, "http://127.0.0.1:\(server.port)/")
      #expect(error?.code == .network)
      #expect(error?.isUnsent == false)
    }
  }
}
