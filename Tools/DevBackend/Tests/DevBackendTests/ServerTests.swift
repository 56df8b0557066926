import Foundation
import Testing

@testable import DevBackend

/// The HTTP server itself, starting and stopping.
@Suite(.onEachDatabase) struct ServerTests {
  @Test(arguments: [
    ("GET", "/auth/login", 405), ("PUT", "/api/users/me", 405), ("POST", "/healthz", 405),
    ("GET", "/", 404), ("GET", "/api/nothing", 404), ("GET", "/auth/me/", 401),
    ("GET", "/%zz", 404), ("GET", "/healthz", 200), ("HEAD", "/healthz", 200),
    ("GET", "/auth/me", 401),
  ])
  func `each answer has a date, an id and no cache`(
    method: String,
    path: String,
    status: Int
  ) async throws {
    try await Fixture.run { fixture in
      let headers = ["X-Request-Id": "11112222-3333"]
      let answer = try await fixture.client.send(method, path, headers: headers)
      #expect(answer.status == status)
      #expect(answer.headers["date"]?.hasSuffix(" GMT") == true)
      #expect(answer.headers["cache-control"] == "no-store")
      #expect(answer.headers["x-request-id"] == "11112222-3333")
      #expect((answer.headers["allow"] != nil) == (status == 405))
      if path.hasPrefix("/api/") { #expect(answer.json["success"] == .bool(false)) }
      #expect(fixture.log.text.contains("request=11112222-3333"))
    }
  }

  @Test(arguments: ["{", "[1]", "\"text\"", "nonsense", "{\"email\":\"\u{1}\"}", "\u{FEFF}{"])
  func `a body that is no JSON object is refused`(body: String) async throws {
    try await Fixture.run { fixture in
      for path in ["/auth/login", "/api/auth/login"] {
        let answer = try await fixture.client.send("POST", path, bytes: Array(body.utf8))
        #expect(answer.status == 400)
        #expect(answer.json["code"] == .string("malformed_json"))
      }
    }
  }

  @Test func `a body that is no UTF-8 is refused`() async throws {
    try await Fixture.run { fixture in
      let bytes = Array("{\"email\":\"".utf8) + [0xFF, 0xFE] + Array("\"}".utf8)
      let answer = try await fixture.client.send("POST", "/auth/login", bytes: bytes)
      #expect(answer.status == 400)
    }
  }

  @Test(arguments: [(1_000, 400), (1_001, 413), (8_000, 413), (8_001, 413)])
  func `a body above the limit is refused`(size: Int, status: Int) async throws {
    try await Fixture.run {
      $0.maximumBodySize = 1_000
    } _: { fixture in
      let body = [UInt8](repeating: UInt8(ascii: "x"), count: size)
      let answer = try await fixture.client.send("POST", "/api/auth/login", bytes: body)
      #expect(answer.status == status)
      #expect(answer.json["success"] == .bool(false))
      #expect(answer.headers["date"] != nil)
      let id = try #require(answer.headers["x-request-id"])
      #expect(fixture.log.text.contains("request=\(id)"))
    }
  }

  @Test func `a connection serves one request after another`() async throws {
    try await Fixture.run { fixture in
      let one = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
      let last = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
      let answer = try await fixture.client.exchange(Array((one + one + last).utf8))
      let text = String(decoding: answer, as: UTF8.self)
      #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 4)
    }
  }

  @Test func `a chunked body is put together`() async throws {
    try await Fixture.run { fixture in
      let request =
        "POST /auth/logout HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"
      let answer = try TestClient.parse(try await fixture.client.exchange(Array(request.utf8)))
      #expect(answer.status == 401)
    }
  }

  @Test func `the Date header follows the configured clock`() async throws {
    try await Fixture.run {
      $0.clock = BackendClock { 784_111_777_000 }
    } _: { fixture in
      let answer = try await fixture.client.send("GET", "/healthz")
      #expect(answer.headers["date"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    }
  }

  @Test func `R9: no secret is in the log`() async throws {
    try await Fixture.run { fixture in
      let session = try await fixture.registerSky()
      let pair = try await fixture.refreshSky(session.string("refresh_token")).json
      _ = try await fixture.client.send(
        "DELETE",
        "/sessions/\(pair.string("refresh_token"))?token=\(pair.string("access_token"))",
        bearer: pair.string("access_token")
      )
      let log = fixture.log.text
      #expect(log.contains("refresh.rotated"))
      for secret in [
        session.string("access_token"), session.string("refresh_token"),
        session.string("identity_seed"), pair.string("access_token"),
        pair.string("refresh_token"), "SecurePass1",
      ] {
        #expect(!secret.isEmpty && !log.contains(secret.suffix(7)))
      }
    }
  }

  @Test func `every line of a request carries its id`() async throws {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky().string("refresh_token")
      _ = try await fixture.refreshSky(token, attempt: "the-attempt")
      _ = try await fixture.refreshSky(token, device: "thief", attempt: "the-theft")
      #expect(fixture.log.events(of: nil).isEmpty)
      #expect(
        fixture.log.events(of: "the-theft") == [
          "session.ended", "refresh.device_mismatch", "request",
        ]
      )
    }
  }

  @Test func `a port in use is said, with what to do`() async throws {
    try await Fixture.run { fixture in
      var configuration = BackendConfiguration.testing()
      configuration.port = fixture.client.port
      let other = DevBackend(configuration)
      let error = await #expect(throws: BackendError.self) { try await other.start() }
      #expect(error?.code == .portInUse)
      #expect(error?.message.contains("choose another --port") == true)
    }
  }

  @Test func `a stopped backend starts again on its port, with what it had in memory`()
    async throws
  {
    let backend = DevBackend(.testing())
    let ports = try await backend.start()
    let client = TestClient(port: ports.http)
    let answer = try await client.send("POST", "/auth/register", Fixture.sky("ada"))
    await backend.stop()
    await #expect(throws: TestClient.NoAnswer.self) { try await client.send("GET", "/healthz") }
    #expect(try await backend.start() == ports)
    let me = try await client.send("GET", "/auth/me", bearer: answer.json.string("access_token"))
    #expect(me.status == 200)
    await backend.stop()
  }
}
