import Testing

@testable import DevBackend

/// Refreshing over real sockets, with the database behind it.
@Suite(.onEachDatabase) struct RefreshTests {
  @Test func `a rotation is stored, and the new token is the one to use`() async throws {
    try await Fixture.run { fixture in
      var token = try await fixture.registerSky().string("refresh_token")
      for _ in 1...3 {
        let answer = try await fixture.refreshSky(token)
        #expect(answer.status == 200)
        #expect(answer.json["expires_in"] == .integer(900))
        token = answer.json.string("refresh_token")
      }
      #expect(try await fixture.inspector.sessions(of: "ada").map(\.rotations) == [3])
    }
  }

  @Test func `of many requests at once, one rotates and the others get an access token only`()
    async throws
  {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky().string("refresh_token")
      let answers = try await withThrowingTaskGroup(of: TestAnswer.self) { group in
        for number in 1...12 {
          group.addTask { try await fixture.refreshSky(token, attempt: "attempt-\(number)") }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.allSatisfy { $0.status == 200 && $0.json["access_token"] != nil })
      #expect(answers.filter { $0.json["refresh_token"] != nil }.count == 1)
      let session = try #require(try await fixture.inspector.sessions(of: "ada").first)
      #expect(session.rotations == 1)
      #expect(session.graceAnswers == 11)
    }
  }

  @Test func `R2: a lost answer is sent again to the same attempt, and its pair works`()
    async throws
  {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky().string("refresh_token")
      fixture.inspector.loseNextRefreshAnswers()
      await #expect(throws: TestClient.NoAnswer.self) {
        _ = try await fixture.refreshSky(token, attempt: "one")
      }
      fixture.inspector.advanceClock(by: .seconds(3_600))
      let again = try await fixture.refreshSky(token, attempt: "one")
      #expect(again.status == 200)
      let next = try await fixture.refreshSky(again.json.string("refresh_token"), attempt: "two")
      #expect(next.status == 200)
      #expect(try await fixture.inspector.sessions(of: "ada").map(\.resends) == [1])
    }
  }

  @Test func `of many resends at once each gets a pair that works, or is told to wait`()
    async throws
  {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky().string("refresh_token")
      let answers = try await withThrowingTaskGroup(of: TestAnswer.self) { group in
        for _ in 1...24 {
          group.addTask { try await fixture.refreshSky(token, attempt: "one") }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let pairs = answers.filter { $0.status == 200 }.map { $0.json.string("refresh_token") }
      #expect(Set(pairs).count == TokenFamily.promptSiblings)
      #expect(!pairs.contains(""))
      let others = answers.filter { $0.status != 200 }
      #expect(others.count == 24 - TokenFamily.promptSiblings)
      for answer in others {
        #expect(answer.status == 429)
        #expect(answer.headers["retry-after"] == "60")
      }
      // Spending one spends all, so that whether each can be spent is read from the database.
      let core = fixture.inspector.core
      let live = try await core.database.perform { connection in
        try RefreshTokenTable.family(ofToken: core.hash(token), connection)?.family.live
      }
      #expect(Set(try #require(live).map(\.hash)) == Set(pairs.map { core.hash($0) }))
      #expect(try await fixture.refreshSky(pairs[0], attempt: "two").status == 200)
      fixture.inspector.advanceClock(by: .seconds(61))
      let late = try await fixture.refreshSky(token, attempt: "one")
      #expect(late.json["code"] == .string("reuse_detected"))
    }
  }

  @Test func `SkyConnect: a reuse ends that session, and no other of the user`() async throws {
    try await Fixture.run { fixture in
      let first = try await fixture.registerSky()
      let body = JSONValue.of([
        "email": .string("ada@example.com"), "password": .string("SecurePass1"),
        "device_id": .string("tablet"),
      ])
      let other = try await fixture.client.send("POST", "/auth/login", body).json
      let pair = try await fixture.refreshSky(first.string("refresh_token"), attempt: "one").json
      fixture.inspector.advanceClock(by: .seconds(10))
      let reuse = try await fixture.refreshSky(first.string("refresh_token"), attempt: "two")
      #expect(reuse.status == 401)
      #expect(reuse.json["error"] == .string("invalid_grant"))
      #expect(reuse.json["code"] == .string("reuse_detected"))
      // The rightful owner learns why, too.
      let owner = try await fixture.refreshSky(pair.string("refresh_token"), attempt: "three")
      #expect(owner.json["code"] == .string("reuse_detected"))
      let me = try await fixture.client.send("GET", "/auth/me", bearer: pair.string("access_token"))
      #expect(me.status == 401)
      let tablet = try await fixture.refreshSky(other.string("refresh_token"), device: "tablet")
      #expect(tablet.status == 200)
    }
  }

  @Test func `KSN: a reuse ends all of the user's sessions, and nobody else's`() async throws {
    try await Fixture.run { fixture in
      let first = try await fixture.registerKSN("kid")
      let bystander = try await fixture.registerKSN("bystander")
      let login = JSONValue.of(["identifier": .string("kid"), "password": .string("SecurePass1")])
      let other = try await fixture.client.send(
        "POST",
        "/api/auth/login",
        login,
        headers: Fixture.mobile
      )
      let otherToken = try #require(other.json["data"]).string("accessToken")
      _ = try await fixture.refreshKSN(first.string("refreshToken"))
      fixture.inspector.advanceClock(by: .seconds(10))
      let reuse = try await fixture.refreshKSN(first.string("refreshToken"))
      #expect(reuse.status == 401)
      #expect(reuse.json["success"] == .bool(false))
      #expect(reuse.json["code"] == .string("reuse_detected"))
      let me = try await fixture.client.send("GET", "/api/users/me", bearer: otherToken)
      #expect(me.status == 401)
      #expect(me.json["code"] == .string("reuse_detected"))
      let fine = try await fixture.refreshKSN(bystander.string("refreshToken"))
      #expect(fine.status == 200)
    }
  }

  @Test(arguments: [
    (BackendConfiguration.ReuseReach.session, Dialect.ksn, 200),
    (.session, .skyConnect, 200), (.user, .ksn, 401), (.user, .skyConnect, 401),
    (.dialect, .ksn, 401), (.dialect, .skyConnect, 200),
  ])
  func `how far a reuse reaches is the configuration's to say`(
    reach: BackendConfiguration.ReuseReach,
    dialect: Dialect,
    status: Int
  ) async throws {
    try await Fixture.run {
      $0.reuseReach = reach
    } _: { fixture in
      let session = try await fixture.registerSky("ada")
      let login = JSONValue.of([
        "identifier": .string("ada"), "email": .string("ada@example.com"),
        "password": .string("SecurePass1"), "device_id": .string("tablet"),
      ])
      let isKSN = dialect == .ksn
      let answer = try await fixture.client.send(
        "POST",
        isKSN ? "/api/auth/login" : "/auth/login",
        login,
        headers: Fixture.mobile
      ).json
      let token = isKSN ? answer["data"]?.string("refreshToken") : answer.string("refresh_token")
      for attempt in ["one", "two"] {
        _ =
          isKSN
          ? try await fixture.refreshKSN(token ?? "", attempt: attempt)
          : try await fixture.refreshSky(token ?? "", device: "tablet", attempt: attempt)
        fixture.inspector.advanceClock(by: .seconds(10))
      }
      let endings = try await fixture.inspector.sessions(of: "ada").map(\.ending)
      // Both began in the same millisecond, so that their order says nothing.
      #expect(endings.count { $0 == .reuseDetected } == (status == 200 ? 1 : 2))
      let other = session.string("access_token")
      #expect(try await fixture.client.send("GET", "/auth/me", bearer: other).status == status)
    }
  }

  @Test(arguments: ["thief", nil])
  func `KSN: a client that names its device is bound to it`(device: String?) async throws {
    try await Fixture.run { fixture in
      guard case .object(let members) = Fixture.ksn("kid") else { return }
      let body = JSONValue.object(members + [.init(name: "deviceId", value: .string("phone"))])
      let answer = try await fixture.client.send(
        "POST",
        "/api/auth/register",
        body,
        headers: Fixture.mobile
      )
      func refresh(_ data: JSONValue?, _ device: String?) async throws -> TestAnswer {
        try await fixture.client.send(
          "POST",
          "/api/auth/refresh",
          .of(["refreshToken": data?["refreshToken"], "deviceId": device.map(JSONValue.string)]),
          headers: Fixture.mobile
        )
      }
      let pair = try await refresh(answer.json["data"], "phone")
      #expect(pair.status == 200)
      let theft = try await refresh(pair.json["data"], device)
      #expect(theft.status == 401)
      #expect(theft.json["code"] == .string("device_mismatch"))
      #expect(try await fixture.inspector.sessions(of: "kid").map(\.deviceID) == ["phone"])
    }
  }

  @Test func `another device's use ends the session`() async throws {
    try await Fixture.run { fixture in
      let session = try await fixture.registerSky(device: "phone")
      let token = session.string("refresh_token")
      let stolen = try await fixture.refreshSky(token, device: "thief")
      #expect(stolen.status == 401)
      #expect(stolen.json["code"] == .string("device_mismatch"))
      let owner = try await fixture.refreshSky(token, device: "phone")
      #expect(owner.json["code"] == .string("device_mismatch"))
    }
  }

  @Test func `an expired refresh token is refused, and says so`() async throws {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky().string("refresh_token")
      fixture.inspector.advanceClock(by: .seconds(172_800))
      let answer = try await fixture.refreshSky(token)
      #expect(answer.status == 401)
      #expect(answer.json["code"] == .string("refresh_expired"))
    }
  }

  @Test(arguments: ["", "nonsense", "eyJhbGciOiJub25lIn0.e30."])
  func `what is no refresh token of ours is refused`(token: String) async throws {
    try await Fixture.run { fixture in
      let answer = try await fixture.refreshSky(token)
      #expect(answer.status == (token.isEmpty ? 400 : 401))
      if !token.isEmpty { #expect(answer.json["code"] == .string("invalid_grant")) }
    }
  }

  @Test func `access tokens expire by the server's clock`() async throws {
    try await Fixture.run {
      $0.accessLifetime = .seconds(60)
    } _: { fixture in
      let session = try await fixture.registerSky()
      let token = session.string("access_token")
      fixture.inspector.advanceClock(by: .seconds(58))
      let before = try await fixture.client.send("GET", "/auth/me", bearer: token)
      #expect(before.status == 200)
      fixture.inspector.advanceClock(by: .seconds(2))
      let after = try await fixture.client.send("GET", "/auth/me", bearer: token)
      #expect(after.status == 401)
      #expect(after.json["code"] == .string("token_expired"))
      #expect(after.headers["www-authenticate"] == "Bearer error=\"invalid_token\"")
    }
  }

  @Test func `all access tokens can be expired at once, and new ones work in the same instant`()
    async throws
  {
    let clock = BackendClock { 1_800_000_000_000 }
    try await Fixture.run {
      $0.clock = clock
    } _: { fixture in
      let session = try await fixture.registerSky()
      fixture.inspector.expireAccessTokens()
      let old = try await fixture.client.send(
        "GET",
        "/auth/me",
        bearer: session.string("access_token")
      )
      #expect(old.status == 401)
      let pair = try await fixture.refreshSky(session.string("refresh_token"))
      let new = try await fixture.client.send(
        "GET",
        "/auth/me",
        bearer: pair.json.string("access_token")
      )
      #expect(new.status == 200)
    }
  }
}
