import Foundation
import Testing

/// The real client against the real backend, which goes wrong as FieldReports.md says.
@Suite struct FaultyBackendTests {
  /// A backend with the demo users, and Ada signed in.
  private func signedIn(
    _ faults: String,
    _ options: String...,
    body: (ClientHome, RunningBackend) async throws -> Void
  ) async throws {
    let arguments = ["--seed-demo-data", "--faults", faults] + options
    let backend = try await RunningBackend.start(arguments)
    let home = try ClientHome(backend: backend.url)
    let login = try await home.run(
      [
        "login", "ada@example.com", "--base-url", backend.url, "--realtime-url",
        backend.realtimeURL,
      ],
      environment: ["HEADLESS_CLIENT_PASSWORD": "Lovelace1"]
    )
    try #require(login.status == 0, "\(login.everything)")
    try await body(home, backend)
    #expect(await backend.stop().status == 0)
  }

  /// How often a route was answered with a status, as the backend counted.
  private func count(
    _ method: String,
    _ route: String,
    _ status: Int,
    at backend: RunningBackend
  ) async throws -> Int {
    let curl = try RunningProcess(
      URL(filePath: "/usr/bin/env"),
      ["curl", "-s", "\(backend.url)/metrics"],
      environment: [:],
      input: ""
    )
    let name = "dev_backend_http_requests_total"
    let series = #"\#(name){method="\#(method)",route="\#(route)",status="\#(status)"} "#
    let line = await curl.outcome().output.split(separator: "\n").first { $0.hasPrefix(series) }
    return line.flatMap { Int($0.dropFirst(series.count)) } ?? 0
  }

  @Test func `an answer that is lost after the commit costs nothing`() async throws {
    try await signedIn("lose,path=/auth/refresh,times=1") { home, backend in
      #expect(try await home.run("refresh").status == 75)
      let again = try await home.run("refresh")
      #expect(again.status == 0, "\(again.everything)")
      #expect(try await home.run("whoami").status == 0)
      #expect(try await home.run("refresh").status == 0)
      #expect(try await count("POST", "/auth/refresh", 401, at: backend) == 0)
    }
  }

  @Test func `a gateway's page and a captive portal's are temporary`() async throws {
    let faults = "html:502,path=/auth/refresh,times=1;html:200,path=/auth/refresh,times=1"
    try await signedIn(faults) { home, _ in
      for _ in 0..<2 {
        let refresh = try await home.run("refresh")
        #expect(refresh.status == 75, "\(refresh.everything)")
        #expect(try await home.run("status").line?.string("state") == "signedIn")
      }
      #expect(try await home.run("refresh").status == 0)
    }
  }

  @Test func `429 keeps the session, and nothing is sent before its time`() async throws {
    let faults = "expire,path=/auth/me;status:429,retry-after=600,path=/auth/refresh"
    try await signedIn(faults) { home, backend in
      let storm = try await home.run("request", "GET", "/auth/me", "--repeat", "20")
      #expect(storm.status != 0)
      #expect(try await home.run("status").line?.string("state") == "signedIn")
      #expect(try await count("POST", "/auth/refresh", 429, at: backend) == 1)
    }
  }

  @Test(arguments: ["skew:-1h", "skew:-3d", "skew:3d"])
  func `a clock that is off costs no refresh`(faults: String) async throws {
    try await signedIn(faults) { home, backend in
      let requests = try await home.run("request", "GET", "/auth/me", "--repeat", "5")
      #expect(requests.status == 0, "\(requests.everything)")
      #expect(try await count("POST", "/auth/refresh", 200, at: backend) == 0)
      #expect(try await home.run("refresh").status == 0)
    }
  }

  @Test(arguments: [
    #"disguise:exp="1700000000""#, "disguise:exp=1700000000.5", "disguise:exp=1e300",
    "disguise:exp=9223372036854775808", "disguise:no-exp", "disguise:opaque",
    "disguise:two-parts;strip:expires_in",
  ])
  func `odd tokens are used as they are`(faults: String) async throws {
    try await signedIn(faults) { home, _ in
      let me = try await home.run("whoami")
      #expect(me.status == 0, "\(me.everything)")
    }
  }

  @Test func `a backend that drains keeps the session`() async throws {
    try await signedIn("drain:1h,path=/auth/me") { home, backend in
      _ = try await home.run("request", "GET", "/auth/me")
      let refresh = try await home.run("refresh")
      #expect(refresh.status == 75, "\(refresh.everything)")
      #expect(try await home.run("status").line?.string("state") == "signedIn")
      #expect(try await count("POST", "/auth/refresh", 401, at: backend) == 0)
    }
  }

  @Test func `a watch survives a restart of the realtime side, without a gap`() async throws {
    try await signedIn("restart-realtime,path=/auth/me,after=1") { home, _ in
      // The first of these is what `messages` asks to know whose messages are one's own.
      let first = try await home.run("messages", "send", "general", "one")
      let start = try #require(first.line?.int("sequence"), "\(first.everything)")
      let watching = try home.start(
        "messages",
        "watch",
        "general",
        "--after",
        "\(start - 1)",
        "--count",
        "2"
      )
      _ = await watching.waitForLines(1)
      #expect(try await home.run("request", "GET", "/auth/me").status == 0)
      #expect(try await home.run("messages", "send", "general", "two").status == 0)
      let outcome = await watching.outcome()
      #expect(outcome.status == 0, "\(outcome.everything)")
      #expect(outcome.lines.compactMap { $0.int("sequence") } == [start, start + 1])
    }
  }

  @Test func `an upload and its replay carry the same body`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).bin")
    let copy = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).bin")
    defer { for path in [file, copy] { try? FileManager.default.removeItem(at: path) } }
    let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    try bytes.write(to: file)
    try await signedIn("expire,path=/files/*,method=PUT") { home, backend in
      let put = try await home.run("request", "PUT", "/files/x", "--upload", file.path)
      #expect(put.status == 0, "\(put.everything)")
      let get = try await home.run("request", "GET", "/files/x", "--output", copy.path)
      #expect(get.status == 0, "\(get.everything)")
      #expect(try Data(contentsOf: copy) == bytes)
      #expect(try await count("PUT", "/files/{name}", 401, at: backend) == 1)
      #expect(try await count("PUT", "/files/{name}", 201, at: backend) == 1)
      #expect(try await count("POST", "/auth/refresh", 200, at: backend) == 1)
    }
  }

  @Test func `a session that the server revoked is signed out with the reason`() async throws {
    try await signedIn("revoke,path=/auth/me") { home, _ in
      #expect(try await home.run("whoami").status == 77)
      let status = try await home.run("status")
      #expect(status.line?.string("state") == "signedOut")
      #expect(status.line?.string("reason") == "revoked")
    }
  }

  @Test func `a redirect to another host carries no token`() async throws {
    let other = try ScriptedBackend { _ in .json("{}") }
    defer { other.stop() }
    let away = other.url.replacing("127.0.0.1", with: "localhost")
    try await signedIn("redirect:\(away)/away,path=/auth/me") { home, _ in
      _ = try await home.run("request", "GET", "/auth/me")
      #expect(other.requests(to: "/away").map(\.bearer) == [nil])
    }
  }
}
