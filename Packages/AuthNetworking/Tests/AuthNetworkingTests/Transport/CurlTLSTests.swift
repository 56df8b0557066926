import AuthNetworking
import Testing

/// What is libcurl's own about TLS.
@Suite(.timeLimit(.minutes(5))) struct CurlTLSTests {
  @Test func `a CA file that cannot be read is a TLS error`() async throws {
    let authority = try TestIdentity.authority()
    let server = try TestIdentity.server(authority)
    try await withServer(identity: server, script: { try $0.respondToAll() }) { server in
      let code = try await server.failure(
        scheme: "https",
        host: "localhost",
        transport: CurlTransport(CurlConfiguration(caFile: "/nowhere/ca.pem"))
      )
      #expect(code == .tls)
    }
    #expect(throws: TransportError.self) { try CurlTransport(.init(caFile: "")) }
    #expect(throws: TransportError.self) { try CurlTransport(.init(caFile: "a\u{0}b")) }
  }

  @Test func `a resumed connection is as good as a new one`() async throws {
    let authority = try TestIdentity.authority()
    let identity = try TestIdentity.server(authority)
    try await withServer(identity: identity, script: { try $0.respondToAll() }) { server in
      try await withCAFile(authority) { file in
        let pins = try [#require(identity.pin)]
        let transport = try CurlTransport(CurlConfiguration(caFile: file, pins: pins))
        // A POST without a body takes a connection of its own, which resumes the TLS session.
        for method in [HTTPMethod.get, .post, .post, .get] {
          let response = try await server.fetch(
            method,
            host: "localhost",
            scheme: "https",
            transport: transport
          )
          #expect(response.status == 200)
        }
        #expect(server.connections == 3)
      }
    }
  }
}
