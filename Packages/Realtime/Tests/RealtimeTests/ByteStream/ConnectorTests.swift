#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif
import Testing

@testable import ByteStream

/// Racing on real sockets: addresses that refuse, that are silent, and that break.
@Suite(.timeLimit(.minutes(5))) struct ConnectorTests {
  private let loop = EventLoop()
  /// Longer than a busy machine takes for what is not waited for.
  private static let longTime = Duration.seconds(60)

  private func addresses(_ host: String, _ port: Int) async throws -> [SocketAddress] {
    try await loop.resolve(host: host, port: port, until: .now + Self.longTime)
  }

  private func connect(
    _ addresses: [SocketAddress],
    tls: TLSContext? = nil,
    within limit: Duration = longTime
  ) async throws -> Duration {
    let start = ContinuousClock.now
    _ = try await Connector(loop: loop, tls: tls).connect(
      host: "localhost",
      port: 1,
      addresses: addresses,
      deadline: start + limit
    )
    return .now - start
  }

  @Test(arguments: ["::1", "127.0.0.2"])
  func `an address that refuses costs no time`(refusing: String) async throws {
    defer { loop.stop() }
    let listener = try await Listener(host: "127.0.0.1", port: 0, loop: loop)
    let all = try await addresses(refusing, listener.port) + addresses("127.0.0.1", listener.port)
    // On a busy machine an attempt may take as long as a wait would: the quickest one counts.
    var quickest = try await connect(all)
    for _ in 0..<50 where quickest >= ConnectionRace.delay {
      quickest = min(quickest, try await connect(all))
    }
    #expect(quickest < ConnectionRace.delay)
  }

  @Test(arguments: ["::1", "127.0.0.2"])
  func `an address that is silent gives way after a quarter of a second`(
    silent: String
  ) async throws {
    defer { loop.stop() }
    let hole = try BlackHole(try await addresses(silent, 0)[0])
    let listener = try await Listener(host: "127.0.0.1", port: 0, loop: loop)
    let all =
      try await addresses(silent, hole.port) + addresses("127.0.0.1", listener.port)
    // Would it not give way, nobody would be connected by the deadline.
    #expect(try await connect(all) >= ConnectionRace.delay)
  }

  @Test func `of two that are silent the deadline is kept`() async throws {
    defer { loop.stop() }
    let hole = try BlackHole(try await addresses("127.0.0.2", 0)[0])
    let silent = try await addresses("127.0.0.2", hole.port)
    let error = await #expect(throws: ByteStreamError.self) {
      try await connect(silent + silent, within: .milliseconds(400))
    }
    #expect(error?.kind == .timeout)
  }

  @Test func `an address that hangs up during TLS gives the next one a chance`() async throws {
    defer { loop.stop() }
    let certificates = try await TestCertificates.shared()
    let rude = try await Listener(host: "127.0.0.2", port: 0, loop: loop)
    rude.accept(tls: nil) { $0.close() }
    let tls = try TLSContext(
      server: TLSServerConfiguration(
        certificateFile: certificates.certificate("good"),
        keyFile: certificates.key("good")
      )
    )
    let polite = try await Listener(host: "127.0.0.1", port: 0, loop: loop)
    let served = Gate()
    polite.accept(tls: tls) { _ in served.open() }
    let all = try await addresses("127.0.0.2", rude.port) + addresses("127.0.0.1", polite.port)
    let client = try TLSContext(client: TLSClientConfiguration(caFile: certificates.caFile))
    _ = try await connect(all, tls: client)
    await served.wait()
  }

  @Test func `when all refuse the error is the network's, and comes at once`() async throws {
    defer { loop.stop() }
    let listener = try await Listener(host: "127.0.0.1", port: 0, loop: loop)
    let port = listener.port
    listener.close()
    let all = try await addresses("::1", port) + addresses("127.0.0.1", port)
    let error = await #expect(throws: ByteStreamError.self) { try await connect(all) }
    #expect(error?.kind == .network)
  }

  @Test func `cancelling ends the race`() async throws {
    defer { loop.stop() }
    let hole = try BlackHole(try await addresses("127.0.0.2", 0)[0])
    let silent = try await addresses("127.0.0.2", hole.port)
    let attempt = Task { try await connect(silent + silent) }
    attempt.cancel()
    let error = await #expect(throws: ByteStreamError.self) { try await attempt.value }
    #expect(error?.kind == .cancelled)
  }
}

/// A port at which connections are neither accepted nor refused: its queue is full.
private final class BlackHole {
  let port: Int
  private var sockets: [Int32] = []

  init(_ address: SocketAddress) throws {
    let listener = try makeStreamSocket(family: address.family)
    sockets.append(listener)
    try #require(address.withPointer { bind(listener, $0, $1) } == 0 && listen(listener, 0) == 0)
    var bound = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    withUnsafeMutableBytes(of: &bound) { raw in
      raw.withMemoryRebound(to: sockaddr.self) {
        _ = getsockname(listener, $0.baseAddress, &length)
      }
    }
    port = withUnsafeBytes(of: bound) { Int($0[2]) << 8 | Int($0[3]) }
    for _ in 0..<4 {
      let client = try makeStreamSocket(family: address.family)
      sockets.append(client)
      withUnsafeBytes(of: bound) { raw in
        raw.withMemoryRebound(to: sockaddr.self) { start in
          if let address = start.baseAddress { _ = systemConnect(client, address, length) }
        }
      }
    }
  }

  deinit { for socket in sockets { closeDescriptor(socket) } }
}

private func systemConnect(
  _ descriptor: Int32,
  _ address: UnsafePointer<sockaddr>,
  _ length: socklen_t
) -> Int32 {
  connect(descriptor, address, length)
}
