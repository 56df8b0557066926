import AuthNetworking
import Testing

@testable import HeadlessClient

/// What a person new to the client is told when something is not as it should be.
struct AdviceTests {
  private let home = TemporaryDirectory()
  private let backend = FakeBackend()

  private func run(
    _ line: String...,
    environment: [String: String] = [:]
  ) async -> (status: CommandStatus, streams: MemoryStreams) {
    let streams = MemoryStreams()
    var environment = environment
    environment["HEADLESS_CLIENT_HOME"] = home.path
    environment["HEADLESS_CLIENT_PASSWORD"] = "password-of-ada"
    let status = await streams.run(line, environment: environment, parts: backend.parts)
    return (status, streams)
  }

  private func signIn() async {
    _ = await run("login", "ada@example.com", "--base-url", "http://127.0.0.1:1")
  }

  @Test func `A store without a passphrase is told how to get one, and doing so works`() async {
    _ = await run("store", "set", "k", "v")
    let refused = await run("store", "passphrase")
    #expect(refused.status == .usage)
    #expect(refused.streams.messages.contains("store rekey --vault passphrase"))
    #expect(!refused.streams.messages.contains("Leave the vault out"))
    let environment = ["HEADLESS_CLIENT_PASSPHRASE": "correct horse"]
    let moved = await run("store", "rekey", "--vault", "passphrase", environment: environment)
    #expect(moved.status == .done)
    let changed = await run(
      "store",
      "passphrase",
      environment: environment.merging(["HEADLESS_CLIENT_NEW_PASSPHRASE": "battery"]) { $1 }
    )
    #expect(changed.status == .done)
  }

  @Test func `Signed out, every command says how to sign in, whether there is a store or not`()
    async
  {
    for _ in 0..<2 {
      for line in [["whoami"], ["token"], ["request", "GET", "/x"], ["messages", "list", "g"]] {
        let streams = MemoryStreams()
        let environment = [
          "HEADLESS_CLIENT_HOME": home.path, "HEADLESS_CLIENT_BASE_URL": "http://127.0.0.1:1",
        ]
        let status = await streams.run(line, environment: environment, parts: backend.parts)
        #expect(status == .notSignedIn)
        #expect(streams.messages.contains("Sign in with login"), "\(line)")
      }
      _ = await run("store", "set", "k", "v")
    }
  }

  @Test func `A field's fault is said once`() {
    let field = ClientError.Field(name: "username", message: "Username already taken")
    let same = ClientError(.rejected, "Username already taken", fields: [field])
    #expect(same.description == "Username already taken (username)")
    let other = ClientError(.invalidInput, "The input is invalid", fields: [field])
    #expect(other.description == "The input is invalid (username: Username already taken)")
  }

  @Test(arguments: [
    (
      "http://127.0.0.1:9: Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect",
      "http://127.0.0.1:9: Couldn't connect"
    ),
    (
      "https://a.invalid: Could not resolve host: a.invalid",
      "https://a.invalid: Could not resolve the host"
    ),
    (
      "https://a.invalid: Could not resolve host: proxy.invalid",
      "https://a.invalid: Could not resolve host: proxy.invalid"
    ),
    ("https://a.invalid: Connection reset", "https://a.invalid: Connection reset"),
  ]) func `A host that cannot be reached is named once`(message: String, shown: String) {
    #expect(TransportWords.onceNamed(message) == shown)
  }

  @Test(arguments: [ClientError.Code.tls, .pinMismatch]) func `What is not remembered is said`(
    code: ClientError.Code
  ) {
    let option = code == .tls ? "CA_FILE" : "PIN"
    let advice = ErrorAdvice.text(for: code, saying: "self-signed certificate")
    #expect(advice?.contains("HEADLESS_CLIENT_\(option)") == true)
  }

  @Test(arguments: [
    ("certificate has expired", "renew"), ("certificate is not yet valid", "clock"),
    ("no alternative certificate subject name matches target host name 'b'", "another host's"),
    ("wrong version number", "doctor"),
  ]) func `No root is asked for where the certificate is at fault`(message: String, word: String) {
    let advice = ErrorAdvice.text(for: .tls, saying: message) ?? ""
    #expect(advice.contains(word))
    #expect(!advice.contains("--ca-file"))
  }

  @Test(arguments: [
    ("https://a.invalid: Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect", true),
    ("https://a.invalid: Could not resolve proxy: b.invalid", true),
    ("https://a.invalid: CONNECT tunnel failed, response 407", true),
    ("https://a.invalid: Failed to connect to a.invalid port 443 after 0 ms: Couldn't", false),
    ("https://[::1]:9: Failed to connect to ::1 port 9 after 0 ms: Couldn't connect", false),
    ("https://a.invalid: Connection reset", false),
  ]) func `A proxy that fails is named, and not the server blamed`(message: String, isProxy: Bool) {
    let advice = ErrorAdvice.text(for: .network, saying: message) ?? ""
    #expect(advice.contains("https_proxy") == isProxy)
    // The proxy's address is the one thing that helps.
    let place = message.contains("127.0.0.1") ? "127.0.0.1" : ""
    #expect(place.isEmpty || TransportWords.onceNamed(message).contains(place))
  }

  @Test func `Verify says why it counts more than list shows`() async {
    await signIn()
    _ = await run("store", "set", "k", "v")
    let verified = await run("store", "verify").streams.results
    #expect(verified.hasPrefix("2 values verified, 0 damaged; 1 of them the client's own"))
    #expect(await run("store", "info").streams.results.contains("Entries  1\n"))
  }

  @Test(arguments: [["messages", "list", "general"], ["whoami"]])
  func `A realtime endpoint given to any command is remembered`(line: [String]) async {
    await signIn()
    let streams = MemoryStreams()
    _ = await streams.run(
      line + ["--realtime-url", "http://127.0.0.1:2"],
      environment: ["HEADLESS_CLIENT_HOME": home.path],
      parts: backend.parts
    )
    let remembered = #""realtimeURL":"http://127.0.0.1:2""#
    #expect(await run("profile", "show", "--json").streams.results.contains(remembered))
    // One on another host is not, for it may not have the token.
    _ = await run("whoami", "--realtime-url", "https://example.com")
    #expect(await run("profile", "show", "--json").streams.results.contains(remembered))
  }

  @Test func `A value that begins with a dash is told how to be written, and doing so works`() async
  {
    let refused = await run("store", "set", "dash", "-5")
    #expect(refused.status == .usage)
    #expect(refused.streams.messages.contains("meant as VALUE, write -- before it"))
    #expect(await run("store", "set", "dash", "--", "-5").status == .done)
    #expect(await run("store", "get", "dash").streams.results == "-5")
  }

  @Test(arguments: [PrivateFiles.WriteProblem.Reason.full, .limited, .readOnly, .other])
  func `Nobody is told to move a home whose key stays where it was`(
    reason: PrivateFiles.WriteProblem.Reason
  ) {
    let staying = Remedy.disk(reason, home: "/home/ada/h", moving: nil)
    #expect(!staying.text.contains("move") && !staying.text.contains("mv "))
    let moving = Remedy.disk(reason, home: "/home/ada/h", moving: "mv /home/ada/h DIR")
    let canHelp = reason == .full || reason == .readOnly
    #expect((moving.command == "mv /home/ada/h DIR") == canHelp)
    #expect(moving.words.contains("to DIR") == canHelp)
  }
}
