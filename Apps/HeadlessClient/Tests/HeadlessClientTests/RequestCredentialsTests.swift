import AuthNetworking
import Testing

@testable import HeadlessClient

/// R9: `request` to a path that hands out tokens.
struct RequestCredentialsTests {
  private let home = TemporaryDirectory()
  private let backend = FakeBackend()

  private func login(_ more: String...) async -> String {
    let streams = MemoryStreams()
    let line = [
      "request", "POST", "/auth/login", "--data", "{}", "--base-url", "http://localhost:3001",
    ]
    _ = await streams.run(
      line + more,
      environment: ["HEADLESS_CLIENT_HOME": home.path, "HEADLESS_CLIENT_JSON": "1"],
      parts: backend.parts
    )
    return streams.results + streams.messages
  }

  @Test func `R9: the tokens in the answer of a login by hand are redacted unless revealed`() async
  {
    let hidden = await login()
    #expect(hidden.contains(#""access_token":"…s-test""#))
    #expect(hidden.contains(#""user_id":7"#))
    #expect(!hidden.contains("token-number"))
    #expect(!hidden.contains("seed-of-the-identity"))
    #expect(await login("--reveal").contains("access-token-number-2-of-this-test"))
  }

  @Test(arguments: [
    (#"{"data":{"accessToken":"abcdefghijklmnop"}}"#, #"{"data":{"accessToken":"…klmnop"}}"#),
    (#"[{"refreshToken":"short"}]"#, #"[{"refreshToken":"<redacted>"}]"#),
    (#"{"password":null,"refresh_token":7}"#, #"{"password":null,"refresh_token":7}"#),
    (#"{"token":"abcdefghijklmnop","name":"access_token"}"#, nil),
  ])
  func `R9: credentials are known by the contract's names, wherever they stand`(
    answer: String,
    shown: String?
  ) {
    #expect(JSONValue(parsing: answer.utf8)?.redactingCredentials().text == shown ?? answer)
  }
}
