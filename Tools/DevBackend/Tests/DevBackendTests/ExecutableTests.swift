import Foundation
import Testing

@testable import DevBackend

/// The program, from outside.
@Suite struct ExecutableTests {
  @Test(arguments: [SIGTERM, SIGINT])
  func `a signal stops it cleanly`(number: Int32) async throws {
    let program = try Executable("--port", "0", "--realtime-port", "0", "--json")
    let ports = try await program.listening()
    let answer = try await TestClient(port: ports.http).send("GET", "/healthz")
    #expect(answer.status == 200)
    kill(program.process.processIdentifier, number)
    let outcome = try await program.outcome()
    #expect(outcome.status == 0)
    // The one line was read already; the log goes to standard error.
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("info request request=req_"))
  }

  @Test func `what was answered survives SIGKILL`() async throws {
    let directory = try Fixture.temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appendingPathComponent("db").path
    let options = ["--port=0", "--realtime-port=0", "--json", "--quiet", "--database=\(path)"]
    let first = try Executable(options[0], options[1], options[2], options[3], options[4])
    var client = TestClient(port: try await first.listening().http)
    let session = try await client.send("POST", "/auth/register", Fixture.sky("ada")).json
    let refresh = { (token: String, client: TestClient) in
      try await client.send(
        "POST",
        "/auth/refresh",
        .of(["refresh_token": .string(token), "device_id": .string("phone")])
      )
    }
    let pair = try await refresh(session.string("refresh_token"), client).json
    kill(first.process.processIdentifier, SIGKILL)
    #expect(try await first.outcome().status == -1)

    let second = try Executable(options[0], options[1], options[2], options[3], options[4])
    client = TestClient(port: try await second.listening().http)
    let me = try await client.send("GET", "/auth/me", bearer: session.string("access_token"))
    #expect(me.status == 200)
    #expect(try await refresh(pair.string("refresh_token"), client).status == 200)
    second.process.terminate()
    #expect(try await second.outcome().status == 0)
  }

  @Test func `a wrong option ends with status 64 and says what to do`() async throws {
    let outcome = try await Executable("--port", "http").outcome()
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("--port must be a number from 0 to 65535"))
  }

  @Test func `help and version go to standard output`() async throws {
    let help = try await Executable("--help").outcome()
    #expect(help.status == 0)
    #expect(help.output == BackendHelp.text + "\n")
    let version = try await Executable("--version").outcome()
    #expect(version.output == BackendHelp.version + "\n")
  }

  @Test func `a port in use ends with status 69`() async throws {
    try await Fixture.run { fixture in
      let port = String(fixture.client.port)
      let outcome = try await Executable("--port", port, "--realtime-port", "0").outcome()
      #expect(outcome.status == 69)
      #expect(outcome.errors.contains("port \(port) on 127.0.0.1 is in use"))
    }
  }

  @Test func `TLS files that cannot be used end with status 74`() async throws {
    let outcome = try await Executable(
      "--port=0",
      "--realtime-port=0",
      "--tls-cert=/nonexistent",
      "--tls-key=/nonexistent"
    ).outcome()
    #expect(outcome.status == 74)
    #expect(outcome.errors.contains("cannot read /nonexistent"))
  }

  private static let curl = URL(fileURLWithPath: "/usr/bin/curl")

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: curl.path)))
  func `the curl examples of the integration guide work as they stand`() async throws {
    try await Fixture.run { fixture in
      let api = "http://localhost:\(fixture.client.port)/api"
      func post(_ path: String, _ body: String) async throws -> JSONValue {
        let outcome = try await Executable(
          "-sS",
          "-X",
          "POST",
          "\(api)\(path)",
          "-H",
          "Content-Type: application/json",
          "-H",
          "X-Client-Type: mobile",
          "-d",
          body,
          path: Self.curl
        ).outcome()
        #expect(outcome.status == 0)
        return try #require(JSONValue(parsing: Array(outcome.output.utf8)))
      }
      let registered = try await post(
        "/auth/register",
        #"{"email":"mobiletest@test.com","username":"mobileuser","password":"SecurePass1","#
          + #""dateOfBirth":"2011-01-01"}"#
      )
      #expect(registered["success"] == .bool(true))
      let login = try await post(
        "/auth/login",
        #"{"identifier":"mobileuser","password":"SecurePass1"}"#
      )
      let token = try #require(login["data"]).string("refreshToken")
      let refreshed = try await post("/auth/refresh", #"{"refreshToken":"\#(token)"}"#)
      let pair = try #require(refreshed["data"])
      #expect(pair.string("refreshToken") != token)
      let me = try await Executable(
        "-sS",
        "\(api)/users/me",
        "-H",
        "Authorization: Bearer \(pair.string("accessToken"))",
        "-H",
        "X-Client-Type: mobile",
        path: Self.curl
      ).outcome()
      #expect(me.output.contains(#""username":"mobileuser""#))
      let body = #"{"refreshToken":"\#(pair.string("refreshToken"))"}"#
      #expect(try await post("/auth/logout", body)["success"] == .bool(true))
    }
  }
}
