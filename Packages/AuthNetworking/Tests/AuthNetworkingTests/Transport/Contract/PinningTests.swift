import AuthNetworking
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Pins over real TLS: expiry, reports, and that nothing gets out.
@Suite(.timeLimit(.minutes(5))) struct PinningTests {
  /// A server whose handshake is right, and what it reads after.
  private final class Reader: Sendable {
    let bytes = Mutex<[UInt8]>([])
    let closed = Latch()

    func script(_ connection: TestConnection) {
      while let byte = connection.read(count: 1) { bytes.withLock { $0 += byte } }
      closed.open()
    }
  }

  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  @Test(arguments: TransportUnderTest.all)
  func `no byte of a request reaches a server with another key, and it is reported`(
    transport: TransportUnderTest
  ) async throws {
    let authority = try TestIdentity.authority()
    let identity = try TestIdentity.server(authority)
    let wrong = try #require(authority.pin)
    let reports = Mutex<[PinReport]>([])
    let reader = Reader()
    try await withCAFile(authority) { file in
      try await withServer(identity: identity, script: { reader.script($0) }) { server in
        var trust = TransportUnderTest.Trust(caFile: file, pinning: PinPolicy([.init(wrong)]))
        trust.onPinMismatch = { report in reports.withLock { $0.append(report) } }
        let code = try await server.failure(
          .post,
          scheme: "https",
          host: "localhost",
          transport: transport.make(trust)
        ) {
          $0.body = Array("secret".utf8)
        }
        #expect(code == .pinMismatch)
        await reader.closed.wait()
        #expect(reader.bytes.withLock { $0 } == [])
      }
    }
    let report = try #require(reports.withLock { $0.first })
    #expect(report.host == "localhost")
    #expect(report.key == identity.pin)
    #expect(report.pinned == [wrong])
    #expect(report.isEnforced)
  }

  @Test(arguments: TransportUnderTest.all)
  func `in trial the request goes on, and the key is reported`(
    transport: TransportUnderTest
  ) async throws {
    let authority = try TestIdentity.authority()
    let identity = try TestIdentity.server(authority)
    let wrong = try #require(authority.pin)
    let right = try #require(identity.pin)
    try await withCAFile(authority) { file in
      try await withServer(identity: identity, script: { try $0.respondToAll() }) { server in
        for (pin, count) in [(wrong, 1), (right, 0)] {
          let reports = Mutex<[PinReport]>([])
          let trust = TransportUnderTest.Trust(
            caFile: file,
            pinning: PinPolicy([.init(pin)], mode: .reportOnly),
            onPinMismatch: { report in reports.withLock { $0.append(report) } }
          )
          let transport = try transport.make(trust)
          // Two requests on one connection are one report.
          for _ in 0..<2 {
            let response = try await server.fetch(
              host: "localhost",
              scheme: "https",
              transport: transport
            )
            #expect(response.status == 200)
          }
          let seen = reports.withLock { $0 }
          #expect(seen.count == count)
          #expect(seen.allSatisfy { $0.key == right && !$0.isEnforced })
        }
      }
    }
  }

  @Test(arguments: TransportUnderTest.all)
  func `in trial nothing else is let through`(transport: TransportUnderTest) async throws {
    let identity = try TestIdentity.server(TestIdentity.authority())
    let other = try TestIdentity.authority()
    let pin = try #require(identity.pin)
    try await withCAFile(other) { file in
      try await withServer(identity: identity, script: { try $0.respondToAll() }) { server in
        let trust = TransportUnderTest.Trust(
          caFile: file,
          pinning: PinPolicy([.init(pin)], mode: .reportOnly)
        )
        let code = try await server.failure(
          scheme: "https",
          host: "localhost",
          transport: transport.make(trust)
        )
        #expect(code == .tls)
        #expect(server.requests.isEmpty)
      }
    }
  }

  @Test(arguments: TransportUnderTest.all)
  func `a pin ends at its date, also under a transport that lives on`(
    transport: TransportUnderTest
  ) async throws {
    let authority = try TestIdentity.authority()
    let identity = try TestIdentity.server(authority)
    let wrong = try #require(authority.pin)
    let time = Mutex(PinningTests.now)
    try await withCAFile(authority) { file in
      try await withServer(identity: identity, script: { try $0.respondToAll() }) { server in
        let trust = TransportUnderTest.Trust(
          caFile: file,
          pinning: PinPolicy([.init(wrong, expires: PinningTests.now + 10)]),
          now: { time.withLock { $0 } }
        )
        let transport = try transport.make(trust)
        func code() async throws -> TransportError.Code? {
          try await server.failure(scheme: "https", host: "localhost", transport: transport)
        }
        let code1 = try await code()
        #expect(code1 == .pinMismatch)
        time.withLock { $0 += 10 }
        let code2 = try await code()
        #expect(code2 == nil)
      }
    }
  }

  @Test(arguments: TransportUnderTest.all)
  func `a retired key is refused while a newer pin counts, on a kept connection too`(
    transport: TransportUnderTest
  ) async throws {
    let authority = try TestIdentity.authority()
    let identity = try TestIdentity.server(authority)
    let old = try #require(identity.pin)
    let new = try #require(authority.pin)
    let time = Mutex(PinningTests.now)
    try await withCAFile(authority) { file in
      try await withServer(identity: identity, script: { try $0.respondToAll() }) { server in
        let trust = TransportUnderTest.Trust(
          caFile: file,
          pinning: PinPolicy([.init(old, expires: PinningTests.now + 10), .init(new)]),
          now: { time.withLock { $0 } }
        )
        let transport = try transport.make(trust)
        func code() async throws -> TransportError.Code? {
          try await server.failure(scheme: "https", host: "localhost", transport: transport)
        }
        let code1 = try await code()
        #expect(code1 == nil)
        time.withLock { $0 += 10 }
        let code2 = try await code()
        #expect(code2 == .pinMismatch)
        #expect(server.requests.count == 1)
      }
    }
  }

  @Test(arguments: TransportUnderTest.all)
  func `plain http goes out when no pin is enforced any more`(
    transport: TransportUnderTest
  ) async throws {
    let pin = try #require(TestIdentity.authority().pin)
    let policies: [(PinPolicy, TransportError.Code?)] = [
      (PinPolicy([.init(pin)]), .pinMismatch), (PinPolicy([.init(pin)], mode: .reportOnly), nil),
      (PinPolicy([.init(pin, expires: PinningTests.now)]), nil),
    ]
    try await withServer(script: { try $0.respondToAll() }) { server in
      for (policy, expected) in policies {
        let trust = TransportUnderTest.Trust(pinning: policy, now: { PinningTests.now })
        let code = try await server.failure(transport: transport.make(trust))
        #expect(code == expected)
      }
    }
  }
}
