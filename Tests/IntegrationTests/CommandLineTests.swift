import Foundation
import Testing

/// Exit statuses and errors of the command line: bad input is told before the network is asked.
@Suite struct CommandLineTests {
  @Test(arguments: [
    [], ["--nonsense"], ["no-such-command"], ["login"], ["login", "a@b.de", "extra"],
    ["status", "--vault", "nonsense"], ["status", "--dialect", "nonsense"],
    ["status", "--timeout", "soon"], ["request", "GET"], ["request", "GET", "/x", "--repeat", "0"],
    ["messages", "list"], ["messages", "list", "general", "--limit", "201"],
    ["status", "--pin", "sha256//short"], ["status", "--profile", "../other"],
    ["status", "--vault", "keychain"],
  ])
  func `wrong usage: 64, one JSON line on stderr, nothing on stdout`(arguments: [String])
    async throws
  {
    let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: home) }

    let outcome = try await Executable.headlessClient.run(
      arguments + ["--json"],
      environment: ["HEADLESS_CLIENT_HOME": home, "HEADLESS_CLIENT_PASSWORD": "x"]
    )

    #expect(outcome.status == 64, "\(outcome.everything)")
    #expect(outcome.output.isEmpty)
    #expect(outcome.error?.string("code") == "usage")
    #expect(outcome.error?.string("message")?.isEmpty == false)
  }

  @Test func `invalid input: 65, one message a field, and nothing is sent`() async throws {
    let backend = try ScriptedBackend { _ in .json("{}") }
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)

    let login = try await home.run("login", "not-an-address", "--base-url", backend.url)
    let register = try await home.run(
      "register",
      "--username",
      "kid",
      "--email",
      "nobody@",
      "--date-of-birth",
      "1980-01-01",
      "--dialect",
      "ksn",
      "--base-url",
      backend.url,
      environment: ["HEADLESS_CLIENT_PASSWORD": "weak"]
    )
    let date = try await home.run(
      "register",
      "--username",
      "kid",
      "--email",
      "kid@example.com",
      "--date-of-birth",
      "2011-02-30",
      "--dialect",
      "ksn",
      "--base-url",
      backend.url
    )

    #expect(login.status == 65)
    #expect(login.error?.string("code") == "invalidInput")
    #expect(login.error?.object("fields")?.string("email") == "Invalid email address")
    #expect(register.status == 65)
    #expect(
      register.error?.object("fields")?.keys == ["email", "password", "dateOfBirth"]
    )
    #expect(date.status == 65)
    #expect(backend.requests.isEmpty)
  }

  @Test func `signed out: status and logout 0, the rest 77, and nothing is sent`() async throws {
    let backend = try ScriptedBackend { _ in .json("{}") }
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    let url = backend.url

    #expect(try await home.run("status").status == 0)
    #expect(try await home.run("logout").status == 0)
    for command in ["restore", "whoami", "token", "refresh"] {
      let outcome = try await home.run(command, "--base-url", url)
      #expect(outcome.status == 77, "\(command): \(outcome.everything)")
      #expect(outcome.error?.string("code") == "notSignedIn")
    }
    #expect(backend.requests.isEmpty)
  }

  @Test func `an unreachable backend: 75`() async throws {
    let home = try ClientHome()
    let outcome = try await home.login()
    #expect(outcome.status == 75)
    #expect(outcome.error?.string("code") == "network")
  }

  @Test func `the headers of every request`() async throws {
    let rotating = RotatingBackend()
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)
    #expect(try await home.run("request", "GET", "/x").status == 0)

    for request in backend.requests {
      #expect(request.headers["accept"] == "application/json")
      #expect(request.headers["x-client-type"] == "mobile")
      #expect(request.headers["x-client-version"]?.hasPrefix("headless-") == true)
      #expect(request.headers["user-agent"]?.contains("/") == true)
      #expect(request.requestID.flatMap { UUID(uuidString: $0) } != nil)
    }
    #expect(backend.requests(to: "/auth/login").allSatisfy { $0.bearer == nil })
    #expect(Set(backend.requests.compactMap(\.requestID)).count == backend.requests.count)
  }

  @Test func `store set, get, list, remove and verify`() async throws {
    let home = try ClientHome()

    #expect(try await home.run("store", "set", "schlüssel", "wört").status == 0)
    #expect(try await home.run("store", "set", "empty", "").status == 0)
    #expect(try await home.run("store", "get", "schlüssel").line?.string("value") == "wört")
    #expect(try await home.run("store", "get", "empty").line?.string("value") == "")
    #expect(try await home.run("store", "get", "missing").status == 69)
    #expect(try await home.run("store", "list").lines.count == 2)
    let verified = try await home.run("store", "verify")
    #expect(verified.line?.int("verified") == 2)
    #expect(try await home.run("store", "remove", "missing").status == 0)
    #expect(try await home.run("store", "remove", "schlüssel").status == 0)
    #expect(try await home.run("store", "get", "schlüssel").error?.string("code") == "notFound")
    #expect(try home.files(holding: ["wört", "schlüssel"]) == [])
  }

  @Test func `a wrong passphrase: 74, wrongKey, and nothing is lost`() async throws {
    let home = try ClientHome()
    let right = ["HEADLESS_CLIENT_VAULT": "passphrase", "HEADLESS_CLIENT_PASSPHRASE": "right one"]
    let wrong = ["HEADLESS_CLIENT_VAULT": "passphrase", "HEADLESS_CLIENT_PASSPHRASE": "wrong one"]

    #expect(try await home.run("store", "set", "a", "1", environment: right).status == 0)
    let refused = try await home.run("store", "get", "a", environment: wrong)

    #expect(refused.status == 74)
    #expect(refused.error?.string("code") == "wrongKey")
    #expect(try await home.run("store", "set", "a", "2", environment: wrong).status == 74)
    let unasked = try await home.run("store", "get", "a")
    #expect(unasked.error?.string("code") == "usage")
    let locked = try await home.run(
      "store",
      "get",
      "a",
      environment: ["HEADLESS_CLIENT_VAULT": "passphrase"]
    )
    #expect(locked.status == 74)
    #expect(locked.error?.string("code") == "vaultLocked")
    #expect(locked.error?.string("message")?.contains("HEADLESS_CLIENT_PASSPHRASE") == true)
    let kept = try await home.run("store", "get", "a", environment: right)
    #expect(kept.line?.string("value") == "1")
  }
}
