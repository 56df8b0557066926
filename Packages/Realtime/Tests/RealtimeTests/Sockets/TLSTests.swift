import ByteStream
import GRPC
import Testing

@Suite(.timeLimit(.minutes(5))) struct TLSTests {
  private let certificates: TestCertificates

  init() async throws { certificates = try await TestCertificates.shared() }

  private func server(_ name: String = "good") async throws -> EchoServer {
    let tls = TLSServerConfiguration(
      certificateFile: certificates.certificate(name),
      keyFile: certificates.key(name)
    )
    return try await EchoServer(configuration: .init(tls: tls))
  }

  private func channel(
    to server: EchoServer,
    host: String = "localhost",
    caFile: String? = nil,
    pins: [String] = []
  ) throws -> GRPCChannel {
    let url = "https://\(host):\(server.server.port)"
    return GRPCChannel(
      to: try GRPCEndpoint(url, caFile: caFile ?? certificates.caFile, pins: pins)
    )
  }

  private func failure(_ channel: GRPCChannel) async -> GRPCError? {
    await #expect(throws: GRPCError.self) { try await channel.unary("/t/Echo", message: []) }
  }

  @Test(arguments: ["localhost", "127.0.0.1"])
  func `a name and an address are verified and served`(host: String) async throws {
    let server = try await server()
    let channel = try channel(to: server, host: host)
    let message = [UInt8](repeating: 1, count: 1 << 20)
    let isSame = try await channel.unary("/t/Echo", message: message).message == message
    #expect(isSame)
  }

  @Test(arguments: ["localhost", "127.0.0.1"])
  func `a certificate of another name or address is refused`(host: String) async throws {
    let server = try await server("elsewhere")
    let error = await failure(try channel(to: server, host: host))
    #expect(error?.status.code == .unavailable)
    #expect(error?.cause == .tls)
  }

  @Test func `a certificate of an unknown CA is refused`() async throws {
    let server = try await server()
    let error = await failure(try channel(to: server, caFile: certificates.otherCAFile))
    #expect(error?.cause == .tls)
  }

  @Test func `an expired certificate is refused, and the message says so`() async throws {
    let server = try await server("expired")
    let error = await failure(try channel(to: server))
    #expect(error?.cause == .tls)
    #expect(error?.status.message.contains("expired") == true)
  }

  @Test func `one of several pins is enough`() async throws {
    let server = try await server()
    let pins = [try certificates.pin("elsewhere"), try certificates.pin("good")]
    let channel = try channel(to: server, pins: pins)
    #expect(try await channel.unary("/t/Echo", message: [1]).message == [1])
  }

  @Test func `another key than the pinned one is pinMismatch`() async throws {
    let server = try await server()
    let error = await failure(try channel(to: server, pins: [certificates.pin("elsewhere")]))
    #expect(error?.status.code == .unavailable)
    #expect(error?.cause == .pinMismatch)
  }

  @Test func `a good pin does not save a bad chain`() async throws {
    let server = try await server()
    let error = await failure(
      try channel(
        to: server,
        caFile: certificates.otherCAFile,
        pins: [certificates.pin("good")]
      )
    )
    #expect(error?.cause == .tls)
  }

  @Test func `a CA file that cannot be read is the caller's fault`() async throws {
    let server = try await server()
    let error = await failure(try channel(to: server, caFile: "/nonexistent.pem"))
    #expect(error?.cause == .configuration)
  }

  @Test func `plain text to a TLS server, and TLS to a plain one, fail with a reason`() async throws
  {
    let secure = try await server()
    let plain = try await EchoServer()
    let toSecure = GRPCChannel(to: try GRPCEndpoint("http://127.0.0.1:\(secure.server.port)"))
    #expect(await failure(toSecure)?.cause == .network)
    #expect(await failure(try channel(to: plain))?.cause == .tls)
  }

  @Test func `a server without h2 is refused with words that say so`() async throws {
    let server = try await StandardTLSServer(certificates)
    let url = "https://localhost:\(server.port)"
    let channel = GRPCChannel(to: try GRPCEndpoint(url, caFile: certificates.caFile))
    let error = await failure(channel)
    #expect(error?.cause == .tls)
    #expect(error?.status.message.contains("h2") == true)
    server.stop()
  }

  @Test(arguments: [("localhost", "h2"), ("127.0.0.1", "certificate")])
  func `the server is told the name, and an address is no name`(
    host: String,
    fault: String
  ) async throws {
    // Who asks for localhost by name gets the good certificate, and is refused only because that
    // half of the server chooses no protocol. Everybody else gets another certificate.
    let server = try await StandardTLSServer(
      certificates,
      certificate: "elsewhere",
      options: [
        "-servername", "localhost", "-cert2", certificates.certificate("good"),
        "-key2", certificates.key("good"),
      ]
    )
    defer { server.stop() }
    let url = "https://\(host):\(server.port)"
    let error = await failure(GRPCChannel(to: try GRPCEndpoint(url, caFile: certificates.caFile)))
    #expect(error?.cause == .tls)
    #expect(error?.status.message.contains(fault) == true, "\(error?.status ?? .ok)")
  }

  @Test func `a server without a usable certificate does not start`() async throws {
    let tls = TLSServerConfiguration(certificateFile: "/none", keyFile: "/none")
    await #expect(throws: GRPCServerError.self) {
      try await GRPCServer(configuration: .init(tls: tls), handlers: [:])
    }
  }
}
