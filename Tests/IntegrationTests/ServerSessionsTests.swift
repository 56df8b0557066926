import Foundation
import Testing

/// `sessions` and `reauthenticate` against the real backend, in either dialect: each home is a
/// device of its own.
@Suite struct ServerSessionsTests {
  private static let dialects = ["skyconnect", "ksn"]

  /// Ada's devices, each signed in.
  private func devices(
    _ count: Int,
    _ dialect: String,
    _ options: String...,
    body: ([ClientHome]) async throws -> Void
  ) async throws {
    let backend = try await RunningBackend.start(["--seed-demo-data"] + options)
    var homes: [ClientHome] = []
    for _ in 0..<count {
      let home = try ClientHome(backend: backend.url)
      let model = options.contains("opaque") ? "opaque" : "access-refresh"
      let login = try await home.run(
        [
          "login", "ada@example.com", "--base-url", backend.url, "--dialect", dialect,
          "--token-model", model,
        ],
        environment: ["HEADLESS_CLIENT_PASSWORD": "Lovelace1"]
      )
      try #require(login.status == 0, "\(login.everything)")
      homes.append(home)
    }
    try await body(homes)
    await backend.stop()
  }

  private func own(_ home: ClientHome) async throws -> String {
    let list = try await home.run("sessions", "list")
    #expect(list.status == 0, "\(list.everything)")
    return try #require(list.lines.first { $0.bool("isCurrent") == true }?.string("id"))
  }

  @Test(arguments: dialects)
  func `each device sees all of them, and revokes another one`(dialect: String) async throws {
    try await devices(2, dialect) { homes in
      let list = try await homes[0].run("sessions", "list")
      #expect(list.lines.count == 2)
      #expect(list.lines.compactMap { $0.bool("isCurrent") } == [true, false])
      let clients = Set(list.lines.compactMap { $0.string("userAgent")?.prefix(16) })
      #expect(clients == ["headless-client/"])
      #expect(list.lines.allSatisfy { $0.string("lastSeenAt") != nil })
      let other = try await own(homes[1])

      let revoked = try await homes[0].run("sessions", "revoke", other)

      #expect(revoked.status == 0, "\(revoked.everything)")
      #expect(revoked.line?.string("state") == "signedIn")
      #expect(try await homes[0].run("whoami").status == 0)
      #expect(try await homes[1].run("whoami").status == 77)
      #expect(try await homes[1].run("status").line?.string("reason") == "revoked")
    }
  }

  @Test(arguments: dialects)
  func `revoking this one signs out here, and leaves no secret`(dialect: String) async throws {
    try await devices(1, dialect) { homes in
      let home = homes[0]
      let token = try #require(try await home.run("token", "--reveal").line?.string("token"))
      let revoked = try await home.run("sessions", "revoke", try await own(home))
      #expect(revoked.line?.string("state") == "signedOut", "\(revoked.everything)")
      #expect(try await home.run("status").line?.string("reason") == "userRequested")
      #expect(try await home.run("sessions", "list").status == 77)
      #expect(try home.files(holding: [token]) == [])
    }
  }

  @Test func `all others are revoked at once`() async throws {
    try await devices(3, "skyconnect") { homes in
      let revoked = try await homes[1].run("sessions", "revoke", "--others")
      #expect(revoked.status == 0, "\(revoked.everything)")
      #expect(try await homes[1].run("sessions", "list").lines.count == 1)
      #expect(try await homes[0].run("whoami").status == 77)
      #expect(try await homes[2].run("whoami").status == 77)
    }
  }

  @Test func `in the opaque model, too`() async throws {
    try await devices(2, "skyconnect", "--token-model", "opaque") { homes in
      let revoked = try await homes[0].run("sessions", "revoke", try await own(homes[1]))
      #expect(revoked.status == 0, "\(revoked.everything)")
      #expect(try await homes[1].run("whoami").status == 77)
      let ended = try await homes[0].run("sessions", "revoke", try await own(homes[0]))
      #expect(ended.line?.string("state") == "signedOut", "\(ended.everything)")
    }
  }

  @Test(arguments: [
    (["sessions", "revoke"], 64), (["sessions", "revoke", "x", "--others"], 64),
    (["sessions", "revoke", "ses_nobody"], 69), (["sessions", "list", "x"], 64),
  ])
  func `what cannot be revoked is refused, and nothing ends`(
    line: [String],
    status: Int
  ) async throws {
    try await devices(1, "skyconnect") { homes in
      let refused = try await homes[0].run(line)
      #expect(refused.status == status, "\(refused.everything)")
      #expect(try await homes[0].run("whoami").status == 0)
    }
  }

  @Test(arguments: dialects)
  func `the password is confirmed, and the session goes on with new tokens`(
    dialect: String
  ) async throws {
    try await devices(1, dialect) { homes in
      let home = homes[0]
      let old = try await own(home)
      let before = try await home.run("status")
      // A server tells its time in whole seconds: in the same one both might have one time.
      let second = time(nil)
      while time(nil) == second { try await Task.sleep(for: .milliseconds(20)) }

      let confirmed = try await home.run(
        ["reauthenticate"],
        environment: ["HEADLESS_CLIENT_PASSWORD": "Lovelace1"]
      )

      #expect(confirmed.status == 0, "\(confirmed.everything)")
      #expect(confirmed.line?.string("userID") == before.line?.string("userID"))
      #expect(confirmed.line?.string("authenticatedAt") != before.line?.string("authenticatedAt"))
      #expect(try await home.run("whoami").status == 0)
      // The one that it supersedes is gone from the server.
      let list = try await home.run("sessions", "list")
      #expect(list.lines.count == 1)
      #expect(list.line?.string("id") != old)
    }
  }

  @Test func `a wrong password is 77, and changes nothing`() async throws {
    try await devices(1, "skyconnect") { homes in
      let before = try await homes[0].run("status")
      let refused = try await homes[0].run("reauthenticate", "ada@example.com")
      #expect(refused.status == 77, "\(refused.everything)")
      #expect(refused.error?.string("code") == "invalidCredentials")
      #expect(try await homes[0].run("status").output == before.output)
      #expect(try await homes[0].run("whoami").status == 0)
    }
  }

  @Test func `signed out, nothing is asked`() async throws {
    let home = try ClientHome()
    for line in [["sessions", "list"], ["sessions", "revoke", "--others"], ["reauthenticate"]] {
      #expect(try await home.run(line).status == 77)
    }
  }

  @Test func `R4: signing in again revokes the session before`() async throws {
    try await devices(1, "skyconnect") { homes in
      let home = homes[0]
      let old = try await own(home)
      let again = try await home.run(
        ["login", "ada@example.com"],
        environment: ["HEADLESS_CLIENT_PASSWORD": "Lovelace1"]
      )
      #expect(again.status == 0, "\(again.everything)")
      let list = try await home.run("sessions", "list")
      #expect(list.lines.count == 1)
      #expect(list.line?.string("id") != old)
    }
  }
}
