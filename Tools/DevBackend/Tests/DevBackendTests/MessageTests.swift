import Testing

@testable import DevBackend

/// Group messages in both dialects.
@Suite(.onEachDatabase) struct MessageTests {
  private static let path = "/groups/general/messages"

  private static func draft(_ id: String, _ body: String = "hello") -> JSONValue {
    .of(["client_message_id": .string(id), "body": .string(body)])
  }

  @Test func `sequences count from 1 without gaps, whoever sends at once`() async throws {
    try await Fixture.run { fixture in
      let ada = try await fixture.registerSky("ada").string("access_token")
      let bob = try await fixture.registerSky("bob").string("access_token")
      let sent = try await withThrowingTaskGroup(of: TestAnswer.self) { group in
        for number in 0..<20 {
          let token = number.isMultiple(of: 2) ? ada : bob
          group.addTask {
            try await fixture.client.send("POST", Self.path, Self.draft("\(number)"), bearer: token)
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(sent.allSatisfy { $0.status == 201 })
      #expect(sent.compactMap { $0.json["sequence"]?.integer }.sorted() == Array(1...20))
    }
  }

  @Test func `the same client message id gives the first message`() async throws {
    try await Fixture.run { fixture in
      let ada = try await fixture.registerSky("ada").string("access_token")
      let bob = try await fixture.registerSky("bob").string("access_token")
      let first = try await fixture.client.send("POST", Self.path, Self.draft("1"), bearer: ada)
      let again = try await fixture.client.send(
        "POST",
        Self.path,
        Self.draft("1", "other text"),
        bearer: ada
      )
      #expect(again.status == 201)
      #expect(again.body == first.body)
      // Ids are the sender's own.
      let other = try await fixture.client.send("POST", Self.path, Self.draft("1"), bearer: bob)
      #expect(other.json["sequence"] == .integer(2))
    }
  }

  @Test func `history is newest first, in pages without gap or repeat`() async throws {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky("ada").string("access_token")
      for number in 1...5 {
        _ = try await fixture.client.send("POST", Self.path, Self.draft("\(number)"), bearer: token)
      }
      var seen: [Int64] = []
      var query = "?limit=2"
      for expectsMore in [true, true, false] {
        let page = try await fixture.client.send("GET", Self.path + query, bearer: token).json
        guard case .array(let messages)? = page["messages"] else { break }
        seen += messages.compactMap { $0["sequence"]?.integer }
        #expect(page["has_more"] == .bool(expectsMore))
        query = "?limit=2&before=\(seen.last ?? 0)"
      }
      #expect(seen == [5, 4, 3, 2, 1])
    }
  }

  @Test(arguments: [
    ("limit=0", 400), ("limit=201", 400), ("limit=x", 400), ("limit=", 400), ("limit=1", 200),
    ("limit=200", 200), ("before=0", 400), ("before=-1", 400), ("before=1e3", 400),
    ("before=99999999999999999999", 400), ("before=9223372036854775807", 200), ("other=1", 200),
  ])
  func `limits are checked`(query: String, status: Int) async throws {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky("ada").string("access_token")
      let answer = try await fixture.client.send("GET", "\(Self.path)?\(query)", bearer: token)
      #expect(answer.status == status)
    }
  }

  @Test(arguments: [
    Self.draft("", "text"), Self.draft("1", ""), .of(["body": .string("text")]),
    .of(["client_message_id": .string("1")]),
    Self.draft("1", String(repeating: "x", count: GroupService.maximumBodySize + 1)),
    Self.draft(String(repeating: "x", count: 129)),
  ])
  func `a message that is no message is refused`(draft: JSONValue) async throws {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky("ada").string("access_token")
      let answer = try await fixture.client.send("POST", Self.path, draft, bearer: token)
      #expect(answer.status == 400)
      #expect(answer.json["fields"] != nil)
    }
  }

  @Test func `no such group and somebody else's group read the same`() async throws {
    try await Fixture.run {
      $0.seedsDemoData = true
    } _: { fixture in
      let token = try await fixture.registerSky("stranger").string("access_token")
      var bodies: Set<[UInt8]> = []
      for group in ["homework", "nowhere", "a%2Fb", "%F0%9F%8C%88"] {
        for method in ["GET", "POST"] {
          let answer = try await fixture.client.send(
            method,
            "/groups/\(group)/messages",
            method == "POST" ? Self.draft("1") : nil,
            bearer: token
          )
          #expect(answer.status == 404)
          bodies.insert(answer.body)
        }
      }
      #expect(bodies.count == 1)
    }
  }

  @Test func `KSN says the same in its own words`() async throws {
    try await Fixture.run { fixture in
      let token = try await fixture.registerKSN().string("accessToken")
      let path = "/api/groups/general/messages"
      let text = "quotes \" and \\, a line\nbreak, \u{1F308} and \u{0}"
      let draft = JSONValue.of(["clientMessageId": .string("1"), "body": .string(text)])
      let sent = try await fixture.client.send("POST", path, draft, bearer: token)
      #expect(sent.status == 201)
      let message = try #require(sent.json["data"])
      #expect(message["body"] == .string(text))
      #expect(message["groupId"] == .string("general"))
      #expect(message["clientMessageId"] == .string("1"))
      let page = try await fixture.client.send("GET", path, bearer: token)
      #expect(page.json["data"]?["hasMore"] == .bool(false))
      #expect(page.json["data"]?["messages"] == .array([message]))
    }
  }
}
