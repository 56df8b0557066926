import AuthNetworking
import Testing

@Suite(.eachTransport, .timeLimit(.minutes(5))) struct TLSTests {
  private func failure(
    server identity: TestIdentity,
    trusting authority: TestIdentity,
    pins: [SPKIPin] = [],
    host: String = "localhost"
  ) async throws -> TransportError.Code? {
    try await withServer(identity: identity, script: { try $0.respondToAll() }) { server in
      let code = try await withCAFile(authority) { file in
        try await server.failure(
          scheme: "https",
          host: host,
          trust: .init(caFile: file, pinning: PinPolicy(pins.map { .init($0) }))
        )
      }
      // Whatever the answer of the handshake: a request goes out with a good one only.
      #expect(server.requests.isEmpty == (code != nil))
      return code
    }
  }

  @Test func `a server that the given roots vouch for is trusted`() async throws {
    let authority = try TestIdentity.authority()
    let server = try TestIdentity.server(authority)
    let code = try await failure(server: server, trusting: authority)
    #expect(code == nil)
    let code2 = try await failure(server: server, trusting: authority, host: "127.0.0.1")
    #expect(code2 == nil)
  }

  @Test func `the given roots are instead of the system's, which know no test server`() async throws
  {
    let authority = try TestIdentity.authority()
    let server = try TestIdentity.server(authority)
    let other = try TestIdentity.authority()
    let code = try await failure(server: server, trusting: other)
    #expect(code == .tls)
    try await withServer(identity: server, script: { try $0.respondToAll() }) { server in
      let code2 = try await server.failure(scheme: "https", host: "localhost")
      #expect(code2 == .tls)
    }
  }

  @Test func `an expired, a future and another host's certificate are refused`() async throws {
    let authority = try TestIdentity.authority()
    let expired = try TestIdentity.server(authority, from: -7200, until: -3600)
    let future = try TestIdentity.server(authority, from: 3600, until: 7200)
    let other = try TestIdentity.server(authority, hosts: "DNS:other.example")
    for identity in [expired, future, other] {
      let code = try await failure(server: identity, trusting: authority)
      #expect(code == .tls)
      // A pin is no substitute for what is wrong.
      let pins = try [#require(identity.pin)]
      let code2 = try await failure(server: identity, trusting: authority, pins: pins)
      #expect(code2 == .tls)
    }
  }

  @Test func `one of several pins is enough, none of them is a pin mismatch`() async throws {
    let authority = try TestIdentity.authority()
    let server = try TestIdentity.server(authority)
    let right = try #require(server.pin)
    let wrong = try #require(authority.pin)
    let backup = try #require(TestIdentity.authority().pin)
    for pins in [[right], [wrong, right], [right, wrong, backup]] {
      let code = try await failure(server: server, trusting: authority, pins: pins)
      #expect(code == nil)
    }
    for pins in [[wrong], [wrong, backup]] {
      let code2 = try await failure(server: server, trusting: authority, pins: pins)
      #expect(code2 == .pinMismatch)
    }
  }

  @Test func `a right pin does not make up for a wrong authority`() async throws {
    let server = try TestIdentity.server(TestIdentity.authority())
    let other = try TestIdentity.authority()
    let pins = try [#require(server.pin)]
    let code = try await failure(server: server, trusting: other, pins: pins)
    #expect(code == .tls)
  }

  @Test func `with a pin nothing goes over plain http`() async throws {
    let pin = try #require(TestIdentity.authority().pin)
    try await withServer(script: { try $0.respondToAll() }) { server in
      let code = try await server.failure(trust: .init(pinning: PinPolicy([.init(pin)])))
      #expect(code == .pinMismatch)
      #expect(server.connections == 0)
    }
  }

  @Test func `a server without TLS is a TLS error`() async throws {
    try await withServer(script: { try $0.send("HTTP/1.1 400 Bad Request\r\n\r\n") }) { server in
      let code = try await server.failure(scheme: "https")
      #expect(code == .tls)
    }
  }
}
