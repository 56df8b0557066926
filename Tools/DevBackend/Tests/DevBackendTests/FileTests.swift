import Foundation
import Testing

@testable import DevBackend

/// Uploads and downloads, and requests that are sent again under one key.
@Suite struct FileTests {
  @Test(arguments: ["", "/api"])
  func `a file comes back as it was, for its user alone`(prefix: String) async throws {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky("ada").string("access_token")
      let other = try await fixture.registerSky("bob").string("access_token")
      let bytes = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let path = "\(prefix)/files/a%20photo.png"
      let made = try await fixture.client.send(
        "PUT",
        path,
        bytes: bytes,
        bearer: token,
        headers: ["Content-Type": "image/png"]
      )
      #expect(made.status == 201)
      let told = prefix.isEmpty ? made.json : made.json["data"] ?? .null
      #expect(told.string("name") == "a photo.png" && told["size"] == .integer(70_000))
      let back = try await fixture.client.send("GET", path, bearer: token)
      #expect(back.status == 200 && back.body == bytes)
      #expect(back.headers["content-type"] == "image/png")
      #expect(back.headers["content-security-policy"] == "sandbox")
      #expect(try await fixture.client.send("GET", path, bearer: other).status == 404)
      #expect(try await fixture.client.send("GET", path).status == 401)
      #expect(try await fixture.client.send("PUT", path, bytes: [1], bearer: token).status == 200)
      let list = try await fixture.client.send("GET", "\(prefix)/files", bearer: token)
      #expect(list.text.contains(#""size":1"#))
      #expect(try await fixture.client.send("DELETE", path, bearer: token).status == 204)
      #expect(try await fixture.client.send("GET", path, bearer: token).status == 404)
    }
  }

  @Test func `a file above the limit is refused`() async throws {
    try await Fixture.run {
      $0.maximumBodySize = 100
    } _: { fixture in
      let token = try await fixture.registerSky().string("access_token")
      let body = [UInt8](repeating: 7, count: 101)
      let answer = try await fixture.client.send("PUT", "/files/x", bytes: body, bearer: token)
      #expect(answer.status == 413)
    }
  }

  @Test func `a full shelf forgets the oldest file`() {
    let shelf = FileShelf(capacity: 10, maximumCount: 3)
    func put(_ name: String, _ size: Int) {
      let file = FileShelf.File(bytes: [UInt8](repeating: 0, count: size), type: "x/y")
      _ = shelf.put(file, at: .init(user: "u", name: name))
    }
    for name in ["a", "b", "c"] { put(name, 3) }
    put("a", 3)
    put("d", 3)
    #expect(shelf.files(of: "u").map(\.name) == ["a", "c", "d"])
    put("e", 9)
    #expect(shelf.files(of: "u").map(\.name) == ["e"])
    put("f", 11)
    #expect(shelf.files(of: "u").map(\.name) == ["f"])
  }

  @Test(arguments: [("", "client_message_id"), ("/api", "clientMessageId")])
  func `a key carries a message out once`(prefix: String, field: String) async throws {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky().string("access_token")
      func send(_ key: String, _ id: String, _ body: String) async throws -> TestAnswer {
        try await fixture.client.send(
          "POST",
          "\(prefix)/groups/general/messages",
          .of([field: .string(id), "body": .string(body)]),
          bearer: token,
          headers: ["Idempotency-Key": key]
        )
      }
      // What failed is not remembered.
      #expect(try await send("k", "1", "").status == 400)
      let first = try await send("k", "1", "hello")
      #expect(first.status == 201 && first.headers["idempotent-replayed"] == nil)
      let again = try await send("k", "1", "hello")
      #expect(again.status == 201 && again.body == first.body)
      #expect(again.headers["idempotent-replayed"] == "true")
      let other = try await send("k", "2", "another")
      #expect(other.status == 422 && other.json["code"] == .string("idempotency_mismatch"))
      #expect((other.json["success"] == .bool(false)) == !prefix.isEmpty)
      #expect(try await send("l", "2", "another").text.contains(#""sequence":2"#))
      fixture.inspector.advanceClock(by: .seconds(86_400))
      let session = try await fixture.client.send(
        "POST",
        "/auth/login",
        .of([
          "email": .string("ada@example.com"), "password": .string("SecurePass1"),
          "device_id": .string("phone"),
        ])
      )
      let late = try await fixture.client.send(
        "POST",
        "\(prefix)/groups/general/messages",
        .of([field: .string("3"), "body": .string("a day later")]),
        bearer: session.json.string("access_token"),
        headers: ["Idempotency-Key": "k"]
      )
      #expect(late.status == 201 && late.text.contains(#""sequence":3"#))
    }
  }

  @Test func `the second of two at once is told to wait, and old keys are forgotten`() throws {
    let answers = IdempotentAnswers(capacity: 2)
    func key(_ text: String) -> IdempotentAnswers.Key { .init(user: "u", path: "/", text: text) }
    let outer = try answers.answer(key("a"), body: [1], now: 0) {
      let inner = try answers.answer(key("a"), body: [1], now: 0) { .noContent }
      #expect(inner.status == 409)
      return ServerResponse(201, .of([:]))
    }
    #expect(outer.status == 201)
    for text in ["b", "c"] {
      _ = try answers.answer(key(text), body: [], now: 0) { .noContent }
    }
    #expect(try answers.answer(key("a"), body: [2], now: 0) { .noContent }.status == 204)
  }
}
