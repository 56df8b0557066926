import AuthNetworking
import SessionModels
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What libcurl writes; other systems add fields of their own.
@Suite(.timeLimit(.minutes(5))) struct CurlTransportTests {
  @Test func `a request is sent as it is, with nothing added but what HTTP needs`() async throws {
    try await withServer(script: { try $0.respondToAll(body: Array("{}".utf8)) }) { server in
      let response = try await server.fetch(.get, "/a/../b//c%2Fd?x=[1]&y=%20")
      #expect(response.status == 200)
      #expect(response.body == Array("{}".utf8))
      let request = try #require(server.requests.first)
      #expect(request.line == "GET /a/../b//c%2Fd?x=[1]&y=%20 HTTP/1.1")
      #expect(request.names == ["accept-encoding", "host"])
      #expect(request["accept-encoding"] == ["gzip"])
    }
  }

  @Test func `header fields go out as they are, the bearer among them`() async throws {
    try await withServer(script: { try $0.respondToAll() }) { server in
      _ = try await server.fetch(.post, "/") {
        $0.body = [1, 2, 3]
        $0.bearer = Secret("token-1")
        $0.headers = HTTPHeaders([
          ("Content-Type", "application/json"), ("X-Two", "a"), ("X-Two", "b"), ("X-Empty", ""),
          ("X-Spaces", " \t "), ("User-Agent", "agent/1 (ü)"), ("Accept", "application/json"),
        ])
      }
      let request = try #require(server.requests.first)
      #expect(request.line == "POST / HTTP/1.1")
      #expect(request.body == [1, 2, 3])
      #expect(request["authorization"] == ["Bearer token-1"])
      #expect(request["x-two"] == ["a", "b"])
      #expect(request["x-empty"] == [""])
      #expect(request["x-spaces"] == [""])
      #expect(request["user-agent"] == ["agent/1 (ü)"])
      #expect(
        request.names == [
          "accept", "accept-encoding", "authorization", "content-length", "content-type", "host",
          "user-agent", "x-empty", "x-spaces", "x-two", "x-two",
        ]
      )
    }
  }

  @Test func `a process that the app starts does not get the connection`() async throws {
    try await withServer(script: { try $0.respondToAll() }) { server in
      let transport = try CurlTransport(.unhurried())
      _ = try await server.fetch(transport: transport)
      // Other tests may hold a thousand descriptors at this moment.
      let sockets = (Int32(0)..<65_536).filter { CurlTransportTests.peerPort($0) == server.port }
      #expect(sockets.count == 1)
      for socket in sockets { #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC != 0) }
      withExtendedLifetime(transport) {}
    }
  }

  /// The port at the other end of an IPv4 socket; nil for all else.
  private static func peerPort(_ descriptor: Int32) -> Int? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
    }
    guard status == 0, Int32(address.sin_family) == AF_INET else { return nil }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  @Test func `an Authorization of the caller's stands instead of the bearer`() async throws {
    try await withServer(script: { try $0.respondToAll() }) { server in
      _ = try await server.fetch {
        $0.bearer = Secret("token-1")
        $0.headers["Authorization"] = "Basic eA=="
      }
      #expect(server.requests.first?["authorization"] == ["Basic eA=="])
    }
  }
}
