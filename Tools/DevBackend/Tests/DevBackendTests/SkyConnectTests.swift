import Testing

@testable import DevBackend

/// SkyConnect's API over real sockets.
@Suite(.onEachDatabase) struct SkyConnectTests {
  @Test func `registering answers with a session`() async throws {
    try await Fixture.run { fixture in
      let session = try await fixture.registerSky()
      #expect(session["expires_in"] == .integer(900))
      #expect(session.string("user_id").hasPrefix("usr_"))
      #expect(Base64URL.decode(session.string("refresh_token"))?.count == 32)
      #expect(Base64URL.decode(session.string("identity_seed"))?.count == 32)
      let me = try await fixture.client.send(
        "GET",
        "/auth/me",
        bearer: session.string("access_token")
      )
      #expect(me.status == 200)
      #expect(me.json["id"] == session["user_id"])
      #expect(me.json["email"] == .string("ada@example.com"))
    }
  }

  @Test func `signing in keeps the user's id and identity seed`() async throws {
    try await Fixture.run { fixture in
      let session = try await fixture.registerSky()
      let body = JSONValue.of([
        "email": .string("ADA@example.com"), "password": .string("SecurePass1"),
        "device_id": .string("tablet"),
      ])
      let answer = try await fixture.client.send("POST", "/auth/login", body)
      #expect(answer.status == 200)
      #expect(answer.json["user_id"] == session["user_id"])
      #expect(answer.json["identity_seed"] == session["identity_seed"])
      #expect(answer.json["refresh_token"] != session["refresh_token"])
    }
  }

  @Test func `an unknown user and a wrong password read the same`() async throws {
    try await Fixture.run { fixture in
      _ = try await fixture.registerSky()
      var answers: [TestAnswer] = []
      for email in ["ada@example.com", "nobody@example.com"] {
        let body = JSONValue.of([
          "email": .string(email), "password": .string("WrongPass1"),
          "device_id": .string("phone"),
        ])
        answers.append(try await fixture.client.send("POST", "/auth/login", body))
      }
      #expect(answers.map(\.status) == [401, 401])
      #expect(answers[0].body == answers[1].body)
      #expect(answers[0].json["code"] == .string("invalid_credentials"))
    }
  }

  @Test(arguments: [
    ("email", JSONValue.string("nonsense"), "Invalid email address"),
    ("email", .null, "email is required"),
    ("username", .string("a@b"), "Username must have 1 to 64 characters, and no @"),
    ("password", .string(""), "Password is required"),
    ("password", .integer(12), "password must be a string"),
    ("device_id", .string(""), "device_id must have 1 to 200 bytes"),
  ])
  func `a field that is wrong is named`(
    field: String,
    value: JSONValue,
    message: String
  ) async throws {
    try await Fixture.run { fixture in
      guard case .object(let members) = Fixture.sky("ada") else { return }
      let body = JSONValue.object(
        members.map { $0.name == field ? .init(name: field, value: value) : $0 }
      )
      let answer = try await fixture.client.send("POST", "/auth/register", body)
      #expect(answer.status == 400)
      let expected = JSONValue.object([.init(name: field, value: .string(message))])
      #expect(answer.json["fields"] == expected)
      #expect(answer.json["error"] == .string(message))
      #expect(answer.json["code"] == .string("validation_failed"))
    }
  }

  @Test(arguments: ["email", "username"])
  func `what is taken is named`(field: String) async throws {
    try await Fixture.run { fixture in
      _ = try await fixture.registerSky("ada")
      var other = Fixture.sky("bob")
      guard case .object(let members) = other else { return }
      other = .object(
        members.map { member in
          guard member.name == field else { return member }
          let taken = field == "email" ? "ADA@example.com" : "Ada"
          return .init(name: field, value: .string(taken))
        }
      )
      let answer = try await fixture.client.send("POST", "/auth/register", other)
      #expect(answer.status == 409)
      #expect(answer.json["code"] == .string("\(field)_taken"))
      #expect(answer.json["field"] == .string(field))
      #expect(try await fixture.inspector.userCount() == 1)
    }
  }

  @Test func `deleting a session ends its access token and its refresh token at once`()
    async throws
  {
    try await Fixture.run { fixture in
      let session = try await fixture.registerSky()
      let id = try #require(try await fixture.inspector.sessions(of: "ada").first?.id)
      let token = session.string("access_token")
      let deleted = try await fixture.client.send("DELETE", "/sessions/\(id)", bearer: token)
      #expect(deleted.status == 204)
      #expect(deleted.body.isEmpty)
      let me = try await fixture.client.send("GET", "/auth/me", bearer: token)
      #expect(me.status == 401)
      #expect(me.json["code"] == .string("session_revoked"))
      let refresh = try await fixture.refreshSky(session.string("refresh_token"))
      #expect(refresh.status == 401)
      #expect(refresh.json["error"] == .string("invalid_grant"))
      #expect(refresh.json["code"] == .string("session_revoked"))
    }
  }

  @Test func `nobody deletes another user's session`() async throws {
    try await Fixture.run { fixture in
      let ada = try await fixture.registerSky("ada")
      let bob = try await fixture.registerSky("bob")
      let id = try #require(try await fixture.inspector.sessions(of: "ada").first?.id)
      let deleted = try await fixture.client.send(
        "DELETE",
        "/sessions/\(id)",
        bearer: bob.string("access_token")
      )
      #expect(deleted.status == 404)
      let me = try await fixture.client.send("GET", "/auth/me", bearer: ada.string("access_token"))
      #expect(me.status == 200)
    }
  }

  @Test(arguments: ["live", "spent", "bearer"])
  func `logging out ends the session`(by means: String) async throws {
    try await Fixture.run { fixture in
      let session = try await fixture.registerSky()
      let token = session.string("refresh_token")
      if means == "spent" { _ = try await fixture.refreshSky(token) }
      let body = JSONValue.of([
        "refresh_token": means == "bearer" ? nil : .string(token), "device_id": .string("phone"),
      ])
      let answer = try await fixture.client.send(
        "POST",
        "/auth/logout",
        body,
        bearer: means == "bearer" ? session.string("access_token") : nil
      )
      #expect(answer.status == 204)
      #expect(try await fixture.inspector.sessions(of: "ada").map(\.ending) == [.loggedOut])
    }
  }

  @Test func `logging out without any token is refused, and with an unknown one is not`()
    async throws
  {
    try await Fixture.run { fixture in
      let none = try await fixture.client.send("POST", "/auth/logout", .object([]))
      #expect(none.status == 401)
      let unknown = try await fixture.client.send(
        "POST",
        "/auth/logout",
        .of(["refresh_token": .string(Entropy.secret())])
      )
      #expect(unknown.status == 204)
    }
  }
}
