import Testing

@testable import DevBackend

/// `GET /sessions` and `DELETE /sessions/{id}`, in either dialect.
@Suite(.onEachDatabase) struct SessionListTests {
  /// What differs between the dialects.
  struct Words: Sendable, CustomTestStringConvertible {
    let dialect: Dialect
    let path: String
    let userAgent: String
    let lastSeen: String

    var testDescription: String { path }

    static let all = [
      Words(
        dialect: .skyConnect,
        path: "/sessions",
        userAgent: "user_agent",
        lastSeen: "last_seen_at"
      ),
      Words(
        dialect: .ksn,
        path: "/api/sessions",
        userAgent: "userAgent",
        lastSeen: "lastSeenAt"
      ),
    ]

    func list(_ answer: TestAnswer) -> [JSONValue] {
      let body = dialect == .ksn ? answer.json["data"] : answer.json
      guard case .array(let sessions)? = body?["sessions"] else { return [] }
      return sessions
    }
  }

  /// Signs a user in on one more device, and returns the access token.
  private func signIn(
    _ name: String,
    device: String,
    _ words: Words,
    _ fixture: Fixture
  ) async throws -> String {
    let isKSN = words.dialect == .ksn
    // The list is in the order of sign-in, and the clock stands still otherwise.
    fixture.inspector.advanceClock(by: .seconds(1))
    let answer = try await fixture.client.send(
      "POST",
      isKSN ? "/api/auth/login" : "/auth/login",
      .of([
        isKSN ? "identifier" : "email": .string("\(name)@example.com"),
        "password": .string("SecurePass1"), "device_id": .string(device),
      ]),
      headers: ["X-Client-Type": "mobile", "User-Agent": "app/1.0 (\(device))"]
    )
    try #require(answer.status == 200)
    return isKSN
      ? answer.json["data"]?.string("accessToken") ?? "" : answer.json.string("access_token")
  }

  @Test(arguments: Words.all)
  func `a user sees the sessions on all devices, and which one asks`(words: Words) async throws {
    try await Fixture.run { fixture in
      _ = try await fixture.registerSky("bob")
      _ = try await fixture.registerSky("ada", device: "phone")
      let token = try await signIn("ada", device: "tablet", words, fixture)
      let answer = try await fixture.client.send("GET", words.path, bearer: token)
      #expect(answer.status == 200)
      let sessions = words.list(answer)
      #expect(sessions.map { $0["current"] } == [.bool(false), .bool(true)])
      #expect(sessions.last?.string(words.userAgent) == "app/1.0 (tablet)")
      #expect(sessions.allSatisfy { $0.string("id").hasPrefix("ses_") })
      #expect(sessions.allSatisfy { $0.string(words.lastSeen).hasSuffix("Z") })
      #expect(!answer.text.contains(token))
    }
  }

  @Test(arguments: Words.all)
  func `a session is ended by its id, and is gone from the list`(words: Words) async throws {
    try await Fixture.run { fixture in
      let phone = try await fixture.registerSky("ada").string("access_token")
      let token = try await signIn("ada", device: "tablet", words, fixture)
      let before = words.list(try await fixture.client.send("GET", words.path, bearer: token))
      let id = try #require(before.first?.string("id"))
      let path = "\(words.path)/\(id)"
      #expect(try await fixture.client.send("DELETE", path, bearer: token).status == 204)
      #expect(try await fixture.client.send("GET", "/auth/me", bearer: phone).status == 401)
      let after = words.list(try await fixture.client.send("GET", words.path, bearer: token))
      #expect(after == Array(before.dropFirst()))
    }
  }

  @Test(arguments: Words.all, [true, false])
  func `all of the user's sessions are ended at once, but for the one that asks where it says so`(
    words: Words,
    keepsCurrent: Bool
  ) async throws {
    try await Fixture.run { fixture in
      let other = try await fixture.registerSky("bob").string("access_token")
      let phone = try await fixture.registerSky("ada")
      let tablet = try await signIn("ada", device: "tablet", words, fixture)
      let path = words.path + (keepsCurrent ? "?keep=current" : "")
      #expect(try await fixture.client.send("DELETE", path, bearer: tablet).status == 204)
      let refresh = try await fixture.refreshSky(phone.string("refresh_token"))
      #expect(refresh.json["code"] == .string("session_revoked"))
      for (token, status) in [
        (phone.string("access_token"), 401), (tablet, keepsCurrent ? 200 : 401), (other, 200),
      ] {
        #expect(try await fixture.client.send("GET", words.path, bearer: token).status == status)
      }
    }
  }

  @Test(arguments: Words.all, ["/", "//", "/?keep=current", "/%", "//x"])
  func `an id that is empty or broken ends nothing`(words: Words, rest: String) async throws {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky("ada").string("access_token")
      let answer = try await fixture.client.send("DELETE", words.path + rest, bearer: token)
      #expect(answer.status == 404)
      #expect(try await fixture.inspector.sessions(of: "ada").map(\.ending) == [nil])
    }
  }

  @Test(
    arguments: Words.all,
    ["keep=this", "keep=", "keep", "keep=current&keep=x", "keep=x&keep=current"]
  )
  func `what is to stay is said in one way, and any other ends nothing`(
    words: Words,
    query: String
  ) async throws {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky("ada").string("access_token")
      let path = "\(words.path)?\(query)"
      let answer = try await fixture.client.send("DELETE", path, bearer: token)
      #expect(answer.status == 400)
      #expect(answer.json["field"] == .string("keep"))
      #expect(try await fixture.inspector.sessions(of: "ada").map(\.ending) == [nil])
    }
  }

  @Test func `a list shows the build that refreshed last`() async throws {
    try await Fixture.run { fixture in
      let session = try await fixture.registerSky("ada")
      let answer = try await fixture.client.send(
        "POST",
        "/auth/refresh",
        .of(["refresh_token": session["refresh_token"], "device_id": .string("phone")]),
        headers: ["User-Agent": "app/2.0"]
      )
      let token = answer.json.string("access_token")
      let sessions = try await fixture.client.send("GET", "/sessions", bearer: token)
      #expect(Words.all[0].list(sessions).map { $0.string("user_agent") } == ["app/2.0"])
    }
  }

  @Test(arguments: Words.all)
  func `another user's session is not there`(words: Words) async throws {
    try await Fixture.run { fixture in
      _ = try await fixture.registerSky("ada")
      _ = try await fixture.registerSky("bob")
      let id = try #require(try await fixture.inspector.sessions(of: "ada").first?.id)
      let token = try await signIn("bob", device: "tablet", words, fixture)
      let deleted = try await fixture.client.send("DELETE", "\(words.path)/\(id)", bearer: token)
      #expect(deleted.status == 404)
      #expect(try await fixture.inspector.sessions(of: "ada").map(\.ending) == [nil])
    }
  }

  @Test(arguments: Words.all)
  func `a list is shown to nobody without a token`(words: Words) async throws {
    try await Fixture.run { fixture in
      let answer = try await fixture.client.send("GET", words.path)
      #expect(answer.status == 401)
    }
  }

  @Test(arguments: Words.all)
  func `a list says when each session was last seen, here at once and elsewhere soon`(
    words: Words
  ) async throws {
    try await Fixture.run { fixture in
      let phone = try await fixture.registerSky("ada").string("access_token")
      let tablet = try await signIn("ada", device: "tablet", words, fixture)
      fixture.inspector.advanceClock(by: .seconds(60))
      let seen = Timestamp.rfc3339(fixture.inspector.core.time.now)
      #expect(try await fixture.client.send("GET", "/auth/me", bearer: phone).status == 200)
      fixture.inspector.advanceClock(by: .seconds(60))
      let now = Timestamp.rfc3339(fixture.inspector.core.time.now)
      let sessions = words.list(try await fixture.client.send("GET", words.path, bearer: tablet))
      #expect(sessions.map { $0.string(words.lastSeen) } == [seen, now])
      // What other instances read.
      let core = fixture.inspector.core
      let user = try #require(try await fixture.inspector.sessions(of: "ada").first?.userID)
      await Task.detached { core.writeSightings() }.value
      let records = try await core.database.perform {
        try FamilyTable.sessions(ofUser: user, $0).map(\.lastSeenAt)
      }
      #expect(records.map(Timestamp.rfc3339) == [seen, now])
    }
  }

  @Test func `a session whose refresh token is too old is listed no more`() async throws {
    try await Fixture.run { fixture in
      _ = try await fixture.registerSky("ada")
      fixture.inspector.advanceClock(by: .seconds(60 * 86_400))
      let words = Words.all[0]
      let token = try await signIn("ada", device: "tablet", words, fixture)
      let sessions = words.list(try await fixture.client.send("GET", "/sessions", bearer: token))
      #expect(sessions.map { $0["current"] } == [.bool(true)])
    }
  }

  @Test func `an opaque session is listed by its id, never by its token`() async throws {
    try await Fixture.run {
      $0.tokenModel = .opaque
    } _: { fixture in
      let token = try await fixture.registerSky().string("access_token")
      let answer = try await fixture.client.send("GET", "/sessions", bearer: token)
      #expect(Words.all[0].list(answer).map { $0["current"] } == [.bool(true)])
      #expect(!answer.text.contains(token))
    }
  }
}
