import Testing

@testable import HeadlessClient

/// A secret that a command needs, that nothing gave, and that nobody can be asked for.
struct MissingSecretTests {
  private let home = TemporaryDirectory()
  private let backend = FakeBackend()

  private static let word = ["HEADLESS_CLIENT_PASSWORD": "password-of-ada"]
  private static let phrase = ["HEADLESS_CLIENT_PASSPHRASE": "correct horse"]

  /// A command, what was done before it, what it is given, and the variable that it lacks.
  struct Case: Sendable, CustomTestStringConvertible {
    var line: [String]
    var before: [[String]] = []
    var given: [String: String] = [:]
    var lacks = "HEADLESS_CLIENT_PASSWORD"

    var testDescription: String { line.joined(separator: " ") }
  }

  private static let login = ["login", "ada@example.com", "--base-url", "http://127.0.0.1:1"]
  private static let secretStore = ["store", "set", "k", "v", "--vault", "passphrase"]

  static let cases = [
    Case(line: login),
    Case(line: ["register", "--username", "u", "--email", "u@example.com"] + login.suffix(2)),
    Case(line: ["reauthenticate"], before: [login]),
    Case(
      line: login + ["--vault", "passphrase"],
      given: word,
      lacks: "HEADLESS_CLIENT_PASSPHRASE"
    ),
    Case(line: secretStore, lacks: "HEADLESS_CLIENT_PASSPHRASE"),
    Case(
      line: ["store", "rekey", "--vault", "passphrase"],
      before: [["store", "set", "k", "v"]],
      lacks: "HEADLESS_CLIENT_PASSPHRASE"
    ),
    Case(
      line: ["store", "passphrase"],
      before: [secretStore],
      given: phrase,
      lacks: "HEADLESS_CLIENT_NEW_PASSPHRASE"
    ),
    Case(line: ["store", "reset"], before: [secretStore], lacks: "HEADLESS_CLIENT_PASSPHRASE"),
  ]

  private func run(
    _ line: [String],
    _ given: [String: String],
    typed: [String]? = nil
  ) async -> (status: CommandStatus, messages: String) {
    let streams = MemoryStreams(typed: typed)
    let environment = ["HEADLESS_CLIENT_HOME": home.path, "HEADLESS_CLIENT_JSON": "1"]
    let status = await streams.run(
      line,
      environment: environment.merging(given) { $1 },
      parts: backend.parts
    )
    return (status, streams.messages)
  }

  @Test(arguments: cases)
  func `is a matter of usage whichever it is, and the ways to give it are told`(
    missing: Case
  ) async {
    for line in missing.before {
      let outcome = await run(line, Self.word.merging(Self.phrase) { $1 })
      #expect(outcome.status == .done, "\(outcome.messages)")
    }
    let sent = backend.sent.count
    let outcome = await run(missing.line, missing.given)
    #expect(outcome.status == .usage, "\(outcome.messages)")
    #expect(outcome.messages.contains(#""code":"usage""#))
    #expect(outcome.messages.contains("at a terminal"), "\(outcome.messages)")
    #expect(outcome.messages.contains(missing.lacks), "\(outcome.messages)")
    #expect(backend.sent.count == sent)
    // What was there is there still, and what was not is not.
    let value = await run(["store", "get", "k"], Self.phrase)
    let hadValue = missing.before.contains { $0.starts(with: ["store", "set"]) }
    #expect(value.status == (hadValue ? .done : .refused), "\(value.messages)")
    #expect((home.mode(of: "profiles/default") == nil) == missing.before.isEmpty)
  }

  @Test(arguments: [
    (["register", "--username", "u", "--email", "u@example.com"] + login.suffix(2), [:]),
    (login + ["--vault", "passphrase"], word), (secretStore, [:]),
  ])
  func `typed two times in two ways, it is invalid input whichever it is`(
    line: [String],
    given: [String: String]
  ) async {
    let outcome = await run(line, given, typed: ["one", "another"])
    #expect(outcome.status == .invalidInput, "\(outcome.messages)")
    #expect(backend.sent.isEmpty)
    #expect(home.mode(of: "profiles/default") == nil)
  }
}
