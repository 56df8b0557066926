import AuthNetworking
import SessionModels
import Testing

@testable import HeadlessClient

/// Whole command lines against a backend in memory and a real encrypted store.
struct SessionCommandTests {
  let home = TemporaryDirectory()
  let backend = FakeBackend()

  struct Outcome {
    var status: Int
    var results: [JSONValue]
    var error: JSONValue?
    var printed: String
  }

  func run(
    _ line: String...,
    password: String? = "password-of-ada"
  ) async -> Outcome {
    await run(line, password: password)
  }

  func run(
    _ line: [String],
    password: String? = "password-of-ada"
  ) async -> Outcome {
    let streams = MemoryStreams()
    var environment = ["HEADLESS_CLIENT_HOME": home.path, "HEADLESS_CLIENT_JSON": "1"]
    environment["HEADLESS_CLIENT_PASSWORD"] = password
    let status = await streams.run(line, environment: environment, parts: backend.parts)
    func values(_ text: String) -> [JSONValue] {
      text.split(separator: "\n").map { JSONValue(parsing: $0.utf8) ?? .null }
    }
    return Outcome(
      status: Int(status.rawValue),
      results: values(streams.results),
      error: values(streams.messages).compactMap { $0["error"] }.last,
      printed: streams.results + streams.messages
    )
  }

  func signIn() async {
    _ = await run("login", "ada@example.com", "--base-url", "http://127.0.0.1:1")
  }

  @Test func `Before the first sign-in status says so and makes nothing`() async {
    let outcome = await run("status")
    #expect(outcome.status == 0)
    #expect(outcome.results.first?["state"]?.string == "signedOut")
    #expect(outcome.results.first?["reason"]?.string == "never")
    #expect(home.mode(of: "profiles") == nil)
  }

  @Test func `Login prints who is signed in, and status finds it again without the network`() async
  {
    let login = await run("login", "ada@example.com", "--base-url", "http://127.0.0.1:1")
    #expect(login.status == 0)
    #expect(login.results.first?["userID"]?.string == "7")
    #expect(login.results.first?["baseURL"]?.string == "http://127.0.0.1:1")
    let sent = backend.sent.count
    let status = await run("status")
    #expect(status.results == login.results)
    #expect(backend.sent.count == sent)
  }

  @Test(arguments: ["restore", "whoami", "token", "refresh"])
  func `Signed out, commands that need a session end with 77`(command: String) async {
    let outcome = await run(command)
    #expect(outcome.status == 77)
    #expect(outcome.error?["code"]?.string == "notSignedIn")
    #expect(backend.sent.isEmpty)
  }

  @Test func `Logout signed out is done`() async {
    let outcome = await run("logout")
    #expect(outcome.status == 0)
    #expect(outcome.printed == #"{"state":"signedOut","revoked":false}"# + "\n")
  }

  @Test func `A wrong password is 77 and keeps the session`() async {
    await signIn()
    backend.answer("/auth/login", 401, #"{"error":"wrong password-of-ada"}"#)
    let outcome = await run("login", "ada@example.com")
    #expect(outcome.status == 77)
    #expect(outcome.error?["code"]?.string == "invalidCredentials")
    #expect(!outcome.printed.contains("password-of-ada"))
    #expect(await run("whoami").status == 0)
  }

  @Test func `Invalid input is named field by field before the network`() async {
    let outcome = await run(
      "register",
      "--username",
      " ",
      "--email",
      "nope",
      "--dialect",
      "ksn",
      "--base-url",
      "http://127.0.0.1:1",
      "--date-of-birth",
      "2024-01-01",
      password: "weak"
    )
    #expect(outcome.status == 65)
    #expect(
      outcome.error?["fields"]?.object?.names == ["username", "email", "password", "dateOfBirth"]
    )
    #expect(backend.sent.isEmpty)
  }

  @Test func `A date that the calendar lacks is 65 in either dialect`() async {
    let outcome = await run(
      "register",
      "--username",
      "u",
      "--email",
      "u@example.com",
      "--base-url",
      "http://127.0.0.1:1",
      "--date-of-birth",
      "2010-02-30"
    )
    #expect(outcome.status == 65)
    #expect(outcome.error?["fields"]?.object?.names.count == 1)
  }

  @Test func `Without a password and a terminal it says how to give one`() async {
    let outcome = await run(
      "login",
      "ada@example.com",
      "--base-url",
      "http://127.0.0.1:1",
      password: nil
    )
    #expect(outcome.status == 64)
    #expect(outcome.error?["message"]?.string?.contains("--password-stdin") == true)
  }

  @Test func `An unreachable backend is 75, and restore stays signed in and stale`() async {
    await signIn()
    backend.expire()
    backend.setReachable(false)
    #expect(await run("whoami").error?["code"]?.string == "network")
    #expect(await run("whoami").status == 75)
    #expect(await run("refresh").status == 75)
    #expect(await run("status").results.first?["state"]?.string == "signedIn")
    #expect(await run("logout").results.first?["revoked"]?.bool == false)
    #expect(await run("status").results.first?["reason"]?.string == "userRequested")
  }

  @Test func `R8: another origin gets no token, and the session stays`() async throws {
    await signIn()
    for line in [
      ["request", "GET", "http://localhost:1/auth/me"],
      ["request", "GET", "/auth/me", "--base-url", "http://localhost:1"],
    ] {
      let streams = MemoryStreams()
      let environment = ["HEADLESS_CLIENT_HOME": home.path]
      #expect(
        await streams.run(line, environment: environment, parts: backend.parts) == .refused
      )
      let last = try #require(backend.sent.last)
      #expect(last.url.origin.host == "localhost")
      #expect(last.bearer == nil)
    }
    #expect(!backend.paths.contains("POST /auth/refresh"))
    #expect(await run("whoami").status == 0)
  }

  @Test func `R9: what the client holds is redacted unless revealed`() async {
    await signIn()
    let hidden = await run("request", "GET", "/auth/me")
    #expect(!hidden.printed.contains("access-token-number"))
    let shown = await run("request", "GET", "/auth/me", "--reveal")
    #expect(shown.printed.contains("access-token-number-1-of-this-test"))
    #expect(await run("token").results.first?["token"]?.string == "…s-test")
    let token = await run("token", "--reveal").results.first?["token"]?.string
    #expect(token == "access-token-number-1-of-this-test")
  }

  @Test func `R1: fifty requests on an expired token refresh once and all succeed`() async {
    await signIn()
    backend.expire()
    let outcome = await run(
      "request",
      "GET",
      "/auth/me",
      "--repeat",
      "50",
      "--concurrency",
      "50"
    )
    #expect(outcome.status == 0)
    #expect(outcome.results.count { $0["status"]?.number?.integer() == 200 } == 50)
    #expect(backend.paths.count { $0 == "POST /auth/refresh" } == 1)
    #expect(!outcome.printed.contains("token-number"))
  }

  @Test func `When the reader has gone, no more requests are sent`() async {
    await signIn()
    let sent = backend.sent.count
    let streams = MemoryStreams(failure: .readerIsGone)
    let status = await streams.run(
      ["request", "GET", "/auth/me", "--repeat", "1000"],
      environment: ["HEADLESS_CLIENT_HOME": home.path],
      parts: backend.parts
    )
    #expect(status == .done)
    #expect(backend.sent.count == sent + 1)
  }

  @Test func `Every answer is printed, and a refusal is 69 with its request id`() async {
    await signIn()
    let outcome = await run("request", "GET", "/nothing")
    #expect(outcome.status == 69)
    #expect(outcome.results.first?["status"]?.number?.integer() == 404)
    #expect(outcome.results.first?["requestID"] == outcome.error?["requestID"])
    #expect(outcome.error?["code"]?.string == "rejected")
    #expect(outcome.error?["message"]?.string == "nothing here")
    backend.answer("/busy", 503, "<html>")
    let busy = await run("request", "GET", "/busy")
    #expect(busy.status == 75)
    #expect(busy.results.first?["body"] == .object(JSONObject()))
  }

  @Test func `A session revoked on the server ends with the next request, once`() async {
    await signIn()
    backend.revoke()
    let outcome = await run("whoami")
    #expect(outcome.status == 77)
    #expect(outcome.error?["code"]?.string == "sessionEnded")
    #expect(await run("status").results.first?["reason"]?.string == "revoked")
  }

  @Test func `The id of the install is made once and kept over failures and sign-outs`() async {
    backend.answer("/auth/login", 401, "{}")
    await signIn()
    backend.answer("/auth/login", 500, "{}")
    await signIn()
    backend.answerAsUsual("/auth/login")
    await signIn()
    _ = await run("logout")
    await signIn()
    let ids = backend.sent.filter { $0.url.target == "/auth/login" }
      .compactMap { $0.body.flatMap { JSONValue(parsing: $0) }?["device_id"]?.string }
    #expect(ids.count == 4)
    #expect(Set(ids).count == 1)
    _ = await run("login", "ada@example.com", "--device-id", "mobile-app")
    await signIn()
    let last = backend.sent.last?.body.flatMap { JSONValue(parsing: $0) }
    #expect(last?["device_id"]?.string == "mobile-app")
  }

  @Test func `Damaged settings do not stand in the way of a session`() async {
    await signIn()
    home.write("{", to: "profiles/default/settings.json")
    #expect(await run("whoami").status == 0)
    #expect(await run("logout").results.first?["revoked"]?.bool == true)
    #expect(home.bytes(of: "profiles/default/settings.json") == Array("{".utf8))
    await signIn()
    #expect(await run("whoami").status == 0)
    #expect(home.bytes(of: "profiles/default/settings.json.aside") == Array("{".utf8))
  }

  @Test func `A key that is gone is told, and the next login starts afresh`() async {
    await signIn()
    home.remove("profiles/default/store/store.key")
    let status = await run("status")
    #expect(status.status == 0)
    #expect(status.results.first?["reason"]?.string == "keyLost")
    for line in [["whoami"], ["token"], ["restore"], ["refresh"], ["request", "GET", "/auth/me"]] {
      let outcome = await run(line)
      #expect(outcome.status == 77)
      #expect(outcome.error?["code"]?.string == "keyLost")
    }
    #expect(await run("store", "get", "k").status == 74)
    await signIn()
    #expect(await run("whoami").status == 0)
  }

  @Test(arguments: ["whoami", "token", "restore", "refresh"])
  func `A command that needs a session makes no store`(command: String) async {
    #expect(await run(command, "--base-url", "http://127.0.0.1:1").status == 77)
    #expect(home.mode(of: "profiles/default/store") == nil)
  }

  @Test func `Another vault than the store's is told before a password is asked for`() async {
    await signIn()
    let login = ["login", "ada@example.com", "--vault", "passphrase"]
    let register = ["register", "--username", "u", "--email", "u@example.com"]
    for line in [login, register + ["--vault", "passphrase"]] {
      let outcome = await run(line, password: nil)
      #expect(outcome.status == 64)
      #expect(outcome.error?["message"]?.string?.contains("store rekey --vault passphrase") == true)
    }
    let status = await run("status", "--vault", "passphrase")
    #expect(status.status == 64)
    #expect(status.results.isEmpty)
  }

  @Test func `A sign-in that could not be kept is not begun`() async {
    let outcome = await run(
      "login",
      "ada@example.com",
      "--base-url",
      "http://127.0.0.1:1",
      "--vault",
      "passphrase"
    )
    #expect(outcome.status == 64)
    #expect(outcome.error?["code"]?.string == "usage")
    #expect(backend.sent.isEmpty)
  }

  @Test(arguments: [0, 16, 18, 20, 40, 52, 55, 60, 68, 100, 4096])
  func `R4: a sign-out succeeds on a damaged store and keeps its values`(place: Int) async {
    await signIn()
    _ = await run("store", "set", "k", "v")
    home.flip(0xFF, at: place, of: "profiles/default/store/store.db")
    let logout = await run("logout")
    #expect(logout.status == 0)
    #expect(logout.results.first?["state"]?.string == "signedOut")
    let status = await run("status")
    #expect(status.status == 0)
    #expect(status.results.first?["reason"]?.string == "userRequested")
    // A version that this build does not know stays one.
    let value = await run("store", "get", "k")
    #expect(value.results.first?["value"]?.string == "v" || place == 60)
  }

  @Test func `Without its database a store is signed out of, and its values are no absence`() async
  {
    await signIn()
    home.remove("profiles/default/store/store.db")
    #expect(await run("status").results.first?["reason"]?.string == "tampered")
    #expect(await run("logout").status == 0)
    let status = await run("status")
    #expect(status.status == 0)
    #expect(status.results.first?["reason"]?.string == "userRequested")
    let value = await run("store", "get", "k")
    #expect(value.status == 74)
    #expect(value.error?["code"]?.string == "tampered")
    #expect(await run("logout").status == 0)
    #expect(await run("store", "reset").status == 0)
    await signIn()
    #expect(await run("whoami").status == 0)
  }

  @Test func `In the opaque model nothing is kept at rest when memory is asked for`() async {
    backend.answer("/auth/login", 200, #"{"access_token":"opaque-session-id-1","user_id":"7"}"#)
    let line = ["login", "ada@example.com", "--base-url", "http://127.0.0.1:1"]
    let streams = MemoryStreams()
    let status = await streams.run(
      line + ["--token-model", "opaque", "--access-token", "memory", "--json"],
      environment: ["HEADLESS_CLIENT_HOME": home.path, "HEADLESS_CLIENT_PASSWORD": "p"],
      parts: backend.parts
    )
    #expect(status == .done)
    #expect(streams.results.contains(#""state":"signedIn""#))
    #expect(await run("status").results.first?["state"]?.string == "signedOut")
  }

  @Test func `An answer of the other token model is 75 and stores nothing`() async {
    backend.answer("/auth/login", 200, #"{"access_token":"opaque-session-id-1","user_id":"7"}"#)
    let outcome = await run("login", "ada@example.com", "--base-url", "http://127.0.0.1:1")
    #expect(outcome.status == 75)
    #expect(outcome.error?["code"]?.string == "server")
    #expect(await run("status").results.first?["reason"]?.string == "never")
  }

  @Test func `Profiles do not see one another`() async {
    await signIn()
    #expect(await run("status", "--profile", "other").results.first?["reason"]?.string == "never")
    #expect(await run("whoami", "--profile", "other").status == 77)
  }
}
