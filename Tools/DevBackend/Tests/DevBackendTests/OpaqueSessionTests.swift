import Testing

@testable import DevBackend

/// The other token model of seed 004.
@Suite(.onEachDatabase) struct OpaqueSessionTests {
  private static func run(_ body: (Fixture) async throws -> Void) async throws {
    try await Fixture.run {
      $0.tokenModel = .opaque
    } _: {
      try await body($0)
    }
  }

  @Test func `a login gives one random id and nothing to refresh`() async throws {
    try await Self.run { fixture in
      let session = try await fixture.registerSky()
      #expect(Base64URL.decode(session.string("access_token"))?.count == 32)
      #expect(session["refresh_token"] == nil)
      #expect(session["expires_in"] == nil)
      let data = try await fixture.registerKSN()
      #expect(data["refreshToken"] == nil)
      let me = try await fixture.client.send(
        "GET",
        "/api/users/me",
        bearer: data.string("accessToken")
      )
      #expect(me.status == 200)
    }
  }

  @Test func `a refresh is refused, but ends nothing`() async throws {
    try await Self.run { fixture in
      let session = try await fixture.registerSky()
      let answer = try await fixture.refreshSky("anything")
      #expect(answer.status == 400)
      #expect(answer.json["code"] == .string("refresh_not_supported"))
      let me = try await fixture.client.send(
        "GET",
        "/auth/me",
        bearer: session.string("access_token")
      )
      #expect(me.status == 200)
    }
  }

  @Test func `deleting the session by its token ends it at once`() async throws {
    try await Self.run { fixture in
      let token = try await fixture.registerSky().string("access_token")
      let deleted = try await fixture.client.send("DELETE", "/sessions/\(token)", bearer: token)
      #expect(deleted.status == 204)
      let me = try await fixture.client.send("GET", "/auth/me", bearer: token)
      #expect(me.status == 401)
      #expect(me.json["code"] == .string("session_revoked"))
      #expect(!fixture.log.text.contains(token.suffix(7)))
    }
  }

  @Test func `a session that is used lives on, an unused one ends`() async throws {
    try await Self.run { fixture in
      let token = try await fixture.registerSky().string("access_token")
      for _ in 1...3 {
        fixture.inspector.advanceClock(by: .seconds(100_000))
        let me = try await fixture.client.send("GET", "/auth/me", bearer: token)
        #expect(me.status == 200)
      }
      fixture.inspector.advanceClock(by: .seconds(172_800))
      let me = try await fixture.client.send("GET", "/auth/me", bearer: token)
      #expect(me.status == 401)
      #expect(me.json["code"] == .string("token_expired"))
    }
  }

  /// Ends a session as another instance does: in the database, and unheard of here.
  private static func endUnheard(_ fixture: Fixture) async throws -> [Revoked] {
    let core = fixture.inspector.core
    let id = try #require(try await fixture.inspector.sessions(of: "ada").first?.id)
    let now = core.time.now
    return try await core.database.perform {
      try FamilyTable.revoke([id], reason: .revoked, now: now, $0)
    }
  }

  @Test func `a look-up is trusted for a minute, and not beyond a revocation that is heard of`()
    async throws
  {
    let bus = InMemoryBus()
    try await Fixture.run(bus: bus) {
      // Where instances share a database, that would tell it too.
      $0.database = nil
      $0.tokenModel = .opaque
    } _: { fixture in
      let token = try await fixture.registerSky().string("access_token")
      func status() async throws -> Int {
        try await fixture.client.send("GET", "/auth/me", bearer: token).status
      }
      #expect(try await status() == 200)
      let revoked = try await Self.endUnheard(fixture)
      // Seed 004: the window of eventual consistency.
      fixture.inspector.advanceClock(by: .milliseconds(59_999))
      #expect(try await status() == 200)
      bus.tell(.revoked(revoked))
      #expect(try await status() == 401)
    }
  }

  @Test(arguments: [60, 0])
  func `what no bus tells is found out by the next look-up`(cache: Int) async throws {
    try await Fixture.run {
      $0.database = nil
      $0.tokenModel = .opaque
      $0.sessionCacheLifetime = .seconds(cache)
    } _: { fixture in
      let token = try await fixture.registerSky().string("access_token")
      let before = try await fixture.client.send("GET", "/auth/me", bearer: token)
      #expect(before.status == 200)
      #expect(try await Self.endUnheard(fixture).count == 1)
      fixture.inspector.advanceClock(by: .seconds(cache))
      let after = try await fixture.client.send("GET", "/auth/me", bearer: token)
      #expect(after.json["code"] == .string("session_revoked"))
    }
  }

  @Test func `an instance that may miss revocations looks each session up`() async throws {
    let bus = InMemoryBus()
    try await Fixture.run(bus: bus) {
      // Where instances share a database, that would tell it too.
      $0.database = nil
      $0.tokenModel = .opaque
    } _: { fixture in
      let token = try await fixture.registerSky().string("access_token")
      let before = try await fixture.client.send("GET", "/auth/me", bearer: token)
      #expect(before.status == 200)
      bus.tell(.deaf)
      let deaf = try await fixture.client.send("GET", "/auth/me", bearer: token)
      #expect(deaf.status == 200)
      #expect(try await Self.endUnheard(fixture).count == 1)
      let after = try await fixture.client.send("GET", "/auth/me", bearer: token)
      #expect(after.json["code"] == .string("session_revoked"))
    }
  }

  @Test func `a session that lives for seconds is kept alive by its use all the same`() async throws
  {
    try await Fixture.run {
      $0.tokenModel = .opaque
      $0.refreshLifetime = .seconds(5)
    } _: { fixture in
      let token = try await fixture.registerSky().string("access_token")
      for _ in 1...20 {
        fixture.inspector.advanceClock(by: .seconds(1))
        let me = try await fixture.client.send("GET", "/auth/me", bearer: token)
        #expect(me.status == 200)
      }
    }
  }

  @Test func `a token of the other model is refused`() async throws {
    try await Self.run { fixture in
      let answer = try await fixture.client.send("GET", "/auth/me", bearer: "e30.e30.e30")
      #expect(answer.json["code"] == .string("invalid_token"))
    }
  }
}
