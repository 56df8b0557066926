import AuthNetworking
import Testing

@testable import HeadlessClient

/// R9: our own tokens in what a server says.
struct OwnTokensTests {
  private let home = TemporaryDirectory()
  private let backend = FakeBackend()
  // What FakeBackend gives out first.
  private let token = "access-token-number-1-of-this-test"

  private func run(_ line: [String], json: Bool = true) async -> (CommandStatus, MemoryStreams) {
    let streams = MemoryStreams()
    let environment = [
      "HEADLESS_CLIENT_HOME": home.path, "HEADLESS_CLIENT_JSON": json ? "1" : "0",
      "HEADLESS_CLIENT_PASSWORD": "password-of-ada",
    ]
    let status = await streams.run(line, environment: environment, parts: backend.parts)
    return (status, streams)
  }

  private func signIn(_ more: String...) async {
    let line = ["login", "ada@example.com", "--base-url", "http://127.0.0.1:1"] + more
    #expect(await run(line).0 == .done)
  }

  @Test(
    arguments: [["whoami"], ["status"], ["sessions", "list"], ["messages", "list", "g"]],
    [true, false]
  )
  func `wherever the server puts one, its last 6 characters are shown`(
    line: [String],
    json: Bool
  ) async {
    await signIn()
    backend.answer("/auth/me", 200, #"{"id":7,"username":"my \#(token)"}"#)
    let session = #"{"id":"s-1","device_id":"\#(token)","user_agent":"\#(token)"}"#
    backend.answer("/sessions", 200, #"{"sessions":[\#(session)]}"#)
    let message =
      #"{"id":1,"group_id":"g","sender_id":8,"body":"my \#(token)","sequence":1,"#
      + #""sent_at":"2026-01-01T00:00:00Z"}"#
    backend.answer(
      "/groups/g/messages?limit=50",
      200,
      #"{"messages":[\#(message)],"has_more":false}"#
    )
    if line == ["status"] { _ = await run(["whoami"]) }
    let (status, streams) = await run(line, json: json)
    #expect(status == .done, "\(streams.messages)")
    let said = streams.results + streams.messages
    #expect(!said.contains("token-number"))
    #expect(said.contains("…s-test"))
  }

  // MARK: Opaque

  private static let own = "sid_Q5vRk2mWx8Lp0Zt7Hn4Jd1Yb"
  private static let other = "sid_Gf3Uc9Ae6Ko2Xs5Vi8Mw1Rq7"

  private func signInOpaquely() async {
    let answer = #"{"access_token":"\#(OwnTokensTests.own)","user_id":7,"identity_seed":"seed"}"#
    backend.answer("/auth/login", 200, answer)
    await signIn("--token-model", "opaque")
    let sessions = [OwnTokensTests.own, OwnTokensTests.other].map { #"{"id":"\#($0)"}"# }
    backend.answer("/sessions", 200, #"{"sessions":[\#(sessions.joined(separator: ","))]}"#)
  }

  @Test(arguments: [true, false])
  func `opaque sessions are listed by their ends, for they are tokens`(json: Bool) async {
    await signInOpaquely()
    let (status, streams) = await run(["sessions", "list", "--verbose"], json: json)
    #expect(status == .done)
    for id in [OwnTokensTests.own, OwnTokensTests.other] {
      #expect(!(streams.results + streams.messages).contains(id.suffix(7)))
      #expect(streams.results.contains("…\(id.suffix(6))"))
    }
  }

  @Test(arguments: ["Mw1Rq7", "…Mw1Rq7", "Vi8Mw1Rq7", other])
  func `an opaque session is revoked by its end`(id: String) async {
    await signInOpaquely()
    let path = "/sessions/\(OwnTokensTests.other)"
    backend.answer(path, 204, "")
    let (status, streams) = await run(["sessions", "revoke", id, "--verbose"])
    #expect(status == .done, "\(streams.messages)")
    #expect(backend.paths.last == "DELETE \(path)")
    #expect(streams.results.contains(#""revoked":["…Mw1Rq7"]"#))
    #expect(!(streams.results + streams.messages).contains("i8Mw1Rq7"))
  }

  @Test(arguments: [
    (["ses_abcdef", "ses_bcdef0"], "abcdef", "ses_abcdef"),
    (["ses_abcdef", "ses_bcdef0"], "ses_bcdef0", "ses_bcdef0"),
    (["abcdef", "x-abcdef"], "abcdef", "abcdef"),
    (["x-abcdef", "y-abcdef"], "abcdef", nil),
    (["ses_abcdef"], "bcdef", nil),
    (["ses_abcdef"], "…", nil),
    (["ses_abcdef"], "", nil),
    ([], "abcdef", nil),
  ])
  func `an end names one session or none`(ids: [String], end: String, found: String?) {
    #expect((try? OpaqueSessionID.find(end, in: ids)) == found)
  }
}
