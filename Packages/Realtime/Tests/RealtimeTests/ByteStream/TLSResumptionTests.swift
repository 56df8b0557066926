import Testing

@testable import ByteStream

/// Resumption against OpenSSL's own server.
@Suite(.timeLimit(.minutes(5))) struct TLSResumptionTests {
  private let loop = EventLoop()
  private let certificates: TestCertificates

  init() async throws { certificates = try await TestCertificates.shared() }

  private func server(_ options: [String]) async throws -> StandardTLSServer {
    try await StandardTLSServer(certificates, options: ["-alpn", "h2"] + options)
  }

  private func context(pins: [String] = []) throws -> TLSContext {
    let pins = pins.compactMap { PublicKeyPin($0) }
    return try TLSContext(client: .init(caFile: certificates.caFile, pins: pins))
  }

  /// Whether a connection went on with the session of an earlier one; takes the tickets that come.
  private func isResumed(
    _ context: TLSContext,
    _ server: StandardTLSServer,
    host: String = "localhost",
    awaitsTicket: Bool = true
  ) async throws -> Bool {
    let stream = try await Connector(loop: loop, tls: context).connect(
      host: host,
      port: server.port,
      deadline: .now + .seconds(60)
    )
    if awaitsTicket {
      try await loop.waitUntilReady(
        stream.descriptor,
        for: .readable,
        until: .now + .seconds(60)
      )
      var bytes = [UInt8](repeating: 0, count: 1024)
      let result = try bytes.withUnsafeMutableBytes { try stream.read(into: $0) }
      #expect(result == .wouldBlock)
    }
    return stream.isResumed
  }

  @Test func `a session of TLS 1.3 is resumed, each ticket once`() async throws {
    defer { loop.stop() }
    let server = try await server(["-tls1_3", "-num_tickets", "1"])
    let context = try context()
    var found: [Bool] = []
    for _ in 0..<3 { found.append(try await isResumed(context, server)) }
    #expect(found == [false, true, true])
    // Nobody read the ticket of this connection, and that of the last one is used up.
    _ = try await isResumed(context, server, awaitsTicket: false)
    #expect(try await !isResumed(context, server))
    server.stop()
  }

  @Test func `a session of TLS 1.2 is resumed`() async throws {
    defer { loop.stop() }
    let server = try await server(["-tls1_2"])
    let context = try context()
    var found: [Bool] = []
    for _ in 0..<3 { found.append(try await isResumed(context, server, awaitsTicket: false)) }
    #expect(found == [false, true, true])
    server.stop()
  }

  @Test func `a session goes to no other name and no other port`() async throws {
    defer { loop.stop() }
    let (first, second) = (try await server([]), try await server([]))
    let context = try context()
    #expect(try await !isResumed(context, first))
    #expect(try await !isResumed(context, first, host: "127.0.0.1"))
    #expect(try await !isResumed(context, second))
    #expect(try await isResumed(context, first))
    for server in [first, second] { server.stop() }
  }

  @Test func `other pins or roots know nothing of a session`() async throws {
    defer { loop.stop() }
    let server = try await server([])
    let context = try context()
    #expect(try await !isResumed(context, server))
    #expect(try await isResumed(context, server))
    let pinned = try self.context(pins: [certificates.pin("good")])
    #expect(try await !isResumed(pinned, server))
    server.stop()
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `pins are checked in a resumed session too, and a refused server leaves none`(
    version: String
  ) async throws {
    defer { loop.stop() }
    let server = try await server([version])
    let good = try context(pins: [certificates.pin("good")])
    #expect(try await !isResumed(good, server, awaitsTicket: version == "-tls1_3"))
    #expect(try await isResumed(good, server, awaitsTicket: false))
    let wrong = try context(pins: [certificates.pin("elsewhere")])
    for _ in 0..<2 {
      let error = await #expect(throws: ByteStreamError.self) {
        try await isResumed(wrong, server, awaitsTicket: false)
      }
      #expect(error?.kind == .pinMismatch)
    }
    #expect(wrong.sessions.take(for: "localhost \(server.port)") == nil)
    server.stop()
  }
}
