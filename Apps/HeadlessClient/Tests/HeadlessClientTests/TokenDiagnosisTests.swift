import AuthNetworking
import Testing

@testable import HeadlessClient

/// `doctor` tries the session that there is.
struct TokenDiagnosisTests {
  private let home = TemporaryDirectory()
  private let backend = FakeBackend()

  private func run(_ line: String...) async -> (status: Int, checks: [String: JSONValue]) {
    let streams = MemoryStreams()
    let status = await streams.run(
      line,
      environment: [
        "HEADLESS_CLIENT_HOME": home.path, "HEADLESS_CLIENT_JSON": "1",
        "HEADLESS_CLIENT_PASSWORD": "password-of-ada",
      ],
      parts: backend.parts
    )
    let lines = streams.results.split(separator: "\n").compactMap { JSONValue(parsing: $0.utf8) }
    let checks = lines.compactMap { line in line["check"]?.string.map { ($0, line) } }
    return (Int(status.rawValue), Dictionary(checks) { first, _ in first })
  }

  private func signIn() async {
    _ = await run("login", "ada@example.com", "--base-url", "http://127.0.0.1:1")
  }

  private var refreshes: Int { backend.paths.count { $0 == "POST /auth/refresh" } }

  @Test func `A token that is taken passes, by one request and without a refresh`() async {
    await signIn()
    let before = backend.paths.count
    let doctor = await run("doctor")
    #expect(doctor.status == 0)
    #expect(doctor.checks["token"]?["ok"]?.bool == true)
    #expect(doctor.checks["token"]?["skipped"] == nil)
    #expect(backend.paths.dropFirst(before).count { $0 == "GET /auth/me" } == 1)
    #expect(refreshes == 0)
  }

  @Test func `A token that has expired is refreshed as any request does`() async {
    await signIn()
    backend.expire()
    let doctor = await run("doctor")
    #expect(doctor.status == 0)
    #expect(doctor.checks["token"]?["ok"]?.bool == true)
    #expect(refreshes == 1)
  }

  @Test func `A token that is refused, a fresh one as well, is 69 and the session stays`() async {
    await signIn()
    backend.answer("/auth/me", 401, #"{"error":"no"}"#)
    let doctor = await run("doctor")
    #expect(doctor.status == 69)
    #expect(doctor.checks["token"]?["ok"]?.bool == false)
    #expect(doctor.checks["token"]?["detail"]?.string?.contains("refuses") == true)
    #expect(doctor.checks["token"]?["run"]?.string?.hasPrefix("headless-client login ") == true)
    #expect(await run("doctor").checks["session"]?["detail"]?.string?.contains("signed in") == true)
  }

  @Test func `A session that the server has ended is 77, and signing in again mends it`() async {
    await signIn()
    backend.revoke()
    let doctor = await run("doctor")
    #expect(doctor.status == 77)
    #expect(doctor.checks["token"]?["detail"]?.string?.contains("ended") == true)
    #expect(doctor.checks["token"]?["run"]?.string?.hasPrefix("headless-client login ") == true)
    let after = await run("doctor")
    #expect(after.status == 0)
    #expect(after.checks["token"]?["skipped"]?.bool == true)
    await signIn()
    #expect(await run("doctor").checks["token"]?["skipped"] == nil)
  }

  @Test func `A server that fails is no word on the token`() async {
    await signIn()
    backend.answer("/auth/me", 503, "")
    let doctor = await run("doctor")
    #expect(doctor.status == 75)
    #expect(doctor.checks["token"]?["ok"]?.bool == false)
    #expect(doctor.checks["token"]?["run"] == nil)
  }

  @Test func `Nothing is tried where nobody is signed in, or nobody answers`() async {
    #expect(await run("doctor").checks["token"]?["skipped"]?.bool == true)
    await signIn()
    backend.setReachable(false)
    let offline = await run("doctor")
    #expect(offline.status == 75)
    #expect(offline.checks["token"]?["skipped"]?.bool == true)
    backend.setReachable(true)
    let sent = backend.sent.count
    let elsewhere = await run("doctor", "--base-url", "http://localhost:1")
    #expect(elsewhere.checks["token"]?["skipped"]?.bool == true)
    #expect(backend.sent.dropFirst(sent).allSatisfy { $0.bearer == nil })
  }
}
