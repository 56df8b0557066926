import Foundation
import Testing

@testable import DevBackend

/// What is kept across restarts, and what lies on the disk.
@Suite(.onEachDatabase) struct DatabaseTests {
  @Test func `a file keeps accounts, sessions, keys and revocations`() async throws {
    let directory = try Fixture.temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appendingPathComponent("db").path
    var kept = JSONValue.null
    var revoked = JSONValue.null
    try await Fixture.run {
      $0.database = path
    } _: { fixture in
      kept = try await fixture.registerSky("kept")
      revoked = try await fixture.registerSky("revoked")
      let id = try #require(try await fixture.inspector.sessions(of: "revoked").first?.id)
      try await fixture.inspector.revokeSession(id)
    }
    try await Fixture.run {
      $0.database = path
    } _: { fixture in
      let me = try await fixture.client.send(
        "GET",
        "/auth/me",
        bearer: kept.string("access_token")
      )
      #expect(me.status == 200)
      let refused = try await fixture.client.send(
        "GET",
        "/auth/me",
        bearer: revoked.string("access_token")
      )
      #expect(refused.json["code"] == .string("session_revoked"))
      let refresh = try await fixture.refreshSky(kept.string("refresh_token"))
      #expect(refresh.status == 200)
    }
  }

  @Test func `tokens, passwords and file modes: what is on disk gives nobody a session`()
    async throws
  {
    let directory = try Fixture.temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appendingPathComponent("db").path
    try await Fixture.run {
      $0.database = path
    } _: { fixture in
      let session = try await fixture.registerSky()
      let pair = try await fixture.refreshSky(session.string("refresh_token")).json
      for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
        let file = directory.appendingPathComponent(name)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        let bytes = try Data(contentsOf: file)
        for secret in [
          session.string("refresh_token"), pair.string("refresh_token"),
          pair.string("access_token"), "SecurePass1",
        ] {
          #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)")
        }
      }
    }
  }

  @Test func `a password's hash is brought to the cost of today when its user signs in`()
    async throws
  {
    let directory = try Fixture.temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appendingPathComponent("db").path
    let costs = [PasswordCost.minimum, PasswordCost(passes: 2, memory: 16_384)]
    for (cost, expected) in zip(costs, ["m=8,t=1,p=1", "m=16,t=2,p=1"]) {
      try await Fixture.run {
        $0.database = path
        $0.passwordCost = cost
      } _: { fixture in
        if cost == .minimum { _ = try await fixture.registerSky("ada") }
        for (password, status) in [("SecurePass1", 200), ("WrongPass1", 401)] {
          let body = JSONValue.of([
            "email": .string("ada@example.com"), "password": .string(password),
            "device_id": .string("phone"),
          ])
          let answer = try await fixture.client.send("POST", "/auth/login", body)
          #expect(answer.status == status)
        }
        let hash = try await fixture.inspector.core.database.perform {
          try $0.run("SELECT password_hash FROM users")[0].text(0)
        }
        #expect(hash.contains(expected))
      }
    }
  }

  @Test func `two backends do not share a file`() async throws {
    let directory = try Fixture.temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appendingPathComponent("db").path
    try await Fixture.run {
      $0.database = path
    } _: { _ in
      var configuration = BackendConfiguration.testing()
      configuration.database = path
      let other = DevBackend(configuration)
      let error = await #expect(throws: BackendError.self) { try await other.start() }
      #expect(error?.code == .databaseInUse)
    }
  }

  @Test(arguments: ["not a database at all, but a text of some length", ""])
  func `a file that is no database is refused, and an empty one is taken`(text: String)
    async throws
  {
    let directory = try Fixture.temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appendingPathComponent("db")
    try Data(text.utf8).write(to: file)
    var configuration = BackendConfiguration.testing()
    configuration.database = file.path
    let backend = DevBackend(configuration)
    if text.isEmpty {
      try await backend.start()
      await backend.stop()
    } else {
      let error = await #expect(throws: BackendError.self) { try await backend.start() }
      #expect(error?.code == .database)
      #expect(try Data(contentsOf: file) == Data(text.utf8))
    }
  }

  @Test func `demo data is made once`() async throws {
    let directory = try Fixture.temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appendingPathComponent("db").path
    for _ in 1...2 {
      try await Fixture.run { configuration in
        configuration.database = path
        configuration.seedsDemoData = true
      } _: { fixture in
        #expect(try await fixture.inspector.userCount() == DemoData.users.count)
        let user = DemoData.users[0]
        let login = JSONValue.of([
          "identifier": .string(user.username), "password": .string(user.password),
        ])
        let answer = try await fixture.client.send("POST", "/api/auth/login", login)
        let token = try #require(answer.json["data"]).string("accessToken")
        let page = try await fixture.client.send(
          "GET",
          "/groups/homework/messages",
          bearer: token
        )
        guard case .array(let messages)? = page.json["messages"] else {
          Issue.record("no messages")
          return
        }
        #expect(messages.count == 2)
      }
    }
  }
}
