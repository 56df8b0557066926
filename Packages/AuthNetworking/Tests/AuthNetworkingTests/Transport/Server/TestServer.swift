import Synchronization

@testable import AuthNetworking

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A real server on a real socket that does to a client whatever a test says.
///
/// Each connection is served by the script on a thread of its own; it ends with the script.
final class TestServer: Sendable {
  let port: Int
  private let descriptor: Int32
  private let connectionCount = Mutex(ConnectionCount())
  private let requestLog = Mutex<[TestRequest]>([])

  /// Serves connections on a free port of 127.0.0.1; `identity` makes it TLS.
  init(
    identity: TestIdentity? = nil,
    offersHTTP2: Bool = false,
    script: @escaping @Sendable (TestConnection) throws -> Void
  ) throws {
    let descriptor = socket(AF_INET, Int32(TestServer.stream), 0)
    closeOnExec(descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 256) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isListening else { throw TestFailure("no free port") }
    self.descriptor = descriptor
    port = Int(UInt16(bigEndian: address.sin_port))
    let tls = try identity.map { try TestTLS($0, offersHTTP2: offersHTTP2) }
    guard DetachedThread.start({ [self] in accept(tls, script) }) else {
      throw TestFailure("no thread")
    }
  }

  deinit { close(descriptor) }

  /// Stops accepting; the accepting thread keeps the server alive until then.
  func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Every request that any connection read, in order.
  var requests: [TestRequest] { requestLog.withLock { $0 } }

  /// How many connections were accepted.
  var connections: Int { connectionCount.withLock { $0.all } }

  /// How many were open at once.
  var mostConnections: Int { connectionCount.withLock { $0.most } }

  private struct ConnectionCount {
    var all = 0
    var open = 0
    var most = 0

    mutating func add() -> Int {
      open += 1
      most = max(most, open)
      all += 1
      return all - 1
    }
  }

  private func accept(
    _ tls: TestTLS?,
    _ script: @escaping @Sendable (TestConnection) throws -> Void
  ) {
    while true {
      let client = AuthNetworkingTests.accept(descriptor)
      guard client >= 0 else { return }
      closeOnExec(client)
      let index = connectionCount.withLock { $0.add() }
      _ = DetachedThread.start { [self] in
        defer { connectionCount.withLock { $0.open -= 1 } }
        guard
          let connection = TestConnection(
            descriptor: client,
            index: index,
            tls: tls,
            log: { request in self.requestLog.withLock { $0.append(request) } }
          )
        else { return }
        try? script(connection)
        connection.close()
      }
    }
  }

  #if canImport(Glibc)
  private static let stream = SOCK_STREAM.rawValue
  #else
  private static let stream = SOCK_STREAM
  #endif
}

/// Keeps a socket from processes that other tests start, which would keep it open.
private func closeOnExec(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

private func accept(_ descriptor: Int32) -> Int32 {
  #if canImport(Darwin)
  Darwin.accept(descriptor, nil, nil)
  #elseif canImport(Glibc)
  Glibc.accept(descriptor, nil, nil)
  #else
  Musl.accept(descriptor, nil, nil)
  #endif
}

/// Runs a test against a server that is stopped afterwards.
func withServer<Result>(
  identity: TestIdentity? = nil,
  offersHTTP2: Bool = false,
  script: @escaping @Sendable (TestConnection) throws -> Void,
  _ body: (TestServer) async throws -> Result
) async throws -> Result {
  let server = try TestServer(identity: identity, offersHTTP2: offersHTTP2, script: script)
  defer { server.stop() }
  return try await body(server)
}

/// Why a test could not be set up.
struct TestFailure: Error {
  let message: String
  init(_ message: String) { self.message = message }
}
