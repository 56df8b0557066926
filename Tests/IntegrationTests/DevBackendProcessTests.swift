import Foundation
import Testing

/// The dev-backend as people run it: the curl examples of the integration guide, and its end.
@Suite struct DevBackendProcessTests {
  @Test func `the integration guide's curl examples work as they stand`() async throws {
    let backend = try await RunningBackend.start()
    let base = "\(backend.url)/api"

    let registered = try await curl(
      "-X",
      "POST",
      "\(base)/auth/register",
      "-d",
      #"{"email":"mobiletest@test.com","username":"mobileuser","password":"SecurePass1","dateOfBirth":"2011-01-01"}"#
    )
    #expect(registered.status == 201)
    #expect(registered.body?.bool("success") == true)
    #expect(registered.body?.object("data")?.object("user")?.string("username") == "mobileuser")

    let login = try await curl(
      "-X",
      "POST",
      "\(base)/auth/login",
      "-d",
      #"{"identifier":"mobileuser","password":"SecurePass1"}"#
    )
    #expect(login.status == 200)
    let first = try #require(login.body?.object("data")?.string("refreshToken"))

    let refreshed = try await curl(
      "-X",
      "POST",
      "\(base)/auth/refresh",
      "-d",
      #"{"refreshToken":"\#(first)"}"#
    )
    #expect(refreshed.status == 200)
    let data = try #require(refreshed.body?.object("data"))
    let (access, second) = (
      try #require(data.string("accessToken")), try #require(data.string("refreshToken"))
    )
    #expect(second != first)

    let me = try await curl("\(base)/users/me", "-H", "Authorization: Bearer \(access)")
    #expect(me.status == 200)

    let logout = try await curl(
      "-X",
      "POST",
      "\(base)/auth/logout",
      "-d",
      #"{"refreshToken":"\#(second)"}"#
    )
    #expect(logout.status == 200)
    #expect(logout.body?.bool("success") == true)
    let after = try await curl(
      "-X",
      "POST",
      "\(base)/auth/refresh",
      "-d",
      #"{"refreshToken":"\#(second)"}"#
    )
    #expect(after.status == 401)
    #expect(after.body?.bool("success") == false)
    #expect(await backend.stop().status == 0)
  }

  @Test func `a session survives the backend's restart`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).db")
    defer { try? FileManager.default.removeItem(at: file) }
    let options = ["--database", file.path]
    let backend = try await RunningBackend.start(options)
    let home = try ClientHome(backend: backend.url)
    let registered = try await home.run(
      "register",
      "--username",
      "someone",
      "--email",
      "someone@example.com",
      "--base-url",
      backend.url
    )
    #expect(registered.status == 0, "\(registered.everything)")
    #expect(await backend.stop().status == 0)

    #expect(try await home.run("refresh").status == 75)

    let again = try await RunningBackend.start(options, on: backend.ports)
    let refreshed = try await home.run("refresh")
    #expect(refreshed.status == 0, "\(refreshed.everything)")
    #expect(try await home.run("whoami").line?.string("username") == "someone")
    #expect(await again.stop().status == 0)
  }

  @Test func `SIGTERM and SIGINT end it cleanly`() async throws {
    for signal in [SIGTERM, SIGINT] {
      let backend = try await RunningBackend.start()
      backend.process.signal(signal)
      let outcome = await backend.process.outcome()
      #expect(outcome.status == 0)
      #expect(!outcome.wasKilled)
    }
  }

  private struct Answer {
    var status: Int
    var body: JSONObject?
  }

  private func curl(_ arguments: String...) async throws -> Answer {
    let process = try RunningProcess(
      URL(filePath: "/usr/bin/env"),
      [
        "curl", "-s", "-w", "\n%{http_code}", "-H", "Content-Type: application/json",
        "-H", "X-Client-Type: mobile",
      ] + arguments,
      environment: [:],
      input: ""
    )
    let lines = await process.outcome().output.split(separator: "\n")
    return Answer(
      status: lines.last.flatMap { Int($0) } ?? 0,
      body: lines.first.flatMap { JSONObject(String($0)) }
    )
  }
}
