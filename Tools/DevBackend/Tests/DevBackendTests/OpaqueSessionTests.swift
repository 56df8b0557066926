import Testing

@testable import DevBackend

/// The other token model of seed 004.
@Suite struct OpaqueSessionTests {
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

  @Test func `a token of the other model is refused`() async throws {
    try await Self.run { fixture in
      let answer = try await fixture.client.send("GET", "/auth/me", bearer: "e30.e30.e30")
      #expect(answer.json["code"] == .string("invalid_token"))
    }
  }
}
