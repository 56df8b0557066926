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

  @Test(
    arguments: [
      ("utf-16le", [], .wideCharacters), ("utf-16be", [], .wideCharacters),
      ("utf-16le", [0xFF, 0xFE], .wideCharacters), ("utf-16be", [0xFE, 0xFF], .wideCharacters),
      ("utf-32le", [0xFF, 0xFE, 0, 0], .wideCharacters), ("utf-32be", [], .wideCharacters),
      ("utf-8", [0xEF, 0xBB, 0xBF], .byteOrderMark), ("iso-8859-1", [], .noUTF8),
    ] as [(String, [UInt8], TextEncodingFault)]
  )
  func `a body that is no plain UTF-8 is refused, with what to do`(
    encoding: String,
    mark: [UInt8],
    fault: TextEncodingFault
  ) async throws {
    let encodings: [String: String.Encoding] = [
      "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian,
      "utf-32le": .utf32LittleEndian, "utf-32be": .utf32BigEndian,
      "iso-8859-1": .isoLatin1,
    ]
    let text = #"{"email":"ada@example.com","password":"Füße-1","device_id":"phone"}"#
    let bytes = mark + Array(try #require(text.data(using: encodings[encoding] ?? .utf8)))
    try await Fixture.run { fixture in
      for path in ["/auth/login", "/api/auth/login"] {
        let answer = try await fixture.client.send("POST", path, bytes: bytes)
        #expect(answer.status == 400)
        #expect(answer.json["code"] == .string("malformed_json"))
        #expect(answer.json["error"] == .string(fault.advice))
      }
    }
  }

  @Test(
    arguments: [
      (String(repeating: "a", count: 128), nil), (String(repeating: "a", count: 129), "too_long"),
      ("", "empty"), ("two words", "odd_characters"), ("tab\tbed", "odd_characters"),
      ("naïve", "odd_characters"), ("\u{1B}[31m", "odd_characters"),
    ] as [(String, String?)]
  )
  func `a request id that is not taken is replaced, and the answer and the log say so`(
    sent: String,
    reason: String?
  ) async throws {
    try await Fixture.run {
      $0.maximumBodySize = 10
    } _: { fixture in
      // One answer of a route, and one to what is refused before there is any.
      for size in [0, 11] {
        let answer = try await fixture.client.send(
          "POST",
          "/auth/logout",
          bytes: [UInt8](repeating: 0x20, count: size),
          headers: ["X-Request-Id": sent]
        )
        let id = try #require(answer.headers["x-request-id"])
        #expect(answer.headers["x-request-id-refused"] == reason)
        #expect((id == sent) == (reason == nil))
        #expect(fixture.log.events(of: id).contains("request.id_refused") == (reason != nil))
      }
      if let reason {
        #expect(fixture.log.text.contains("why=\(reason)"))
        #expect(sent.isEmpty || !fixture.log.text.contains(sent))
      }
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
