internal import AuthNetworking

/// A client of the demo: command lines run by processes of their own, as a person would type
/// them, on one profile.
struct DemoClient: Sendable {
  /// The profile.
  let profile: String
  /// Everything that the process gets.
  let environment: [String: String]
  /// Collects what all of them print.
  let transcript: DemoTranscript

  /// A client on a home, without any setting of the person who runs the demo.
  init(
    profile: String,
    home: String,
    password: String,
    inherited: [String: String],
    transcript: DemoTranscript
  ) {
    self.profile = profile
    self.transcript = transcript
    var environment = inherited.filter { !$0.key.hasPrefix("HEADLESS_CLIENT_") }
    environment["HEADLESS_CLIENT_HOME"] = home
    environment["HEADLESS_CLIENT_PROFILE"] = profile
    environment["HEADLESS_CLIENT_PASSWORD"] = password
    environment["HEADLESS_CLIENT_JSON"] = "1"
    // What is searched for secrets at the end is the most that a client says.
    environment["HEADLESS_CLIENT_VERBOSE"] = "1"
    environment["HEADLESS_CLIENT_VAULT"] = "file"
    // A proxy of the surroundings has no business between two processes of this machine.
    environment["NO_PROXY"] = "*"
    self.environment = environment
  }

  /// Runs a command line to its end.
  ///
  /// - Returns: its lines and its exit status.
  func run(_ arguments: String...) async throws(DemoFailure) -> DemoOutcome {
    try await start(arguments).outcome()
  }

  /// Starts a command line that is to go on.
  func start(_ arguments: [String]) throws(DemoFailure) -> DemoRun {
    guard let process = ChildProcess.start(arguments, environment: environment) else {
      throw DemoFailure("a process could not be started")
    }
    return DemoRun(process: process, line: arguments.joined(separator: " "), transcript: transcript)
  }
}

/// A command line that is under way.
struct DemoRun: Sendable {
  let process: ChildProcess
  let line: String
  let transcript: DemoTranscript

  /// Waits for its end.
  func outcome() async -> DemoOutcome {
    let outcome = await process.outcome()
    transcript.add(outcome.results + outcome.messages, of: line)
    return DemoOutcome(
      line: line,
      status: Int(outcome.status),
      results: DemoOutcome.values(outcome.results),
      messages: DemoOutcome.values(outcome.messages)
    )
  }
}

/// What a command line printed, read as JSON, and how it ended.
struct DemoOutcome: Sendable {
  let line: String
  let status: Int
  let results: [JSONValue]
  let messages: [JSONValue]

  /// The last result.
  var last: JSONValue { results.last ?? .null }

  /// The code of the error that it printed.
  var errorCode: String? { messages.compactMap { $0["error"]?["code"]?.string }.last }

  /// Holds it against what was expected.
  ///
  /// - Returns: itself.
  @discardableResult
  func ended(_ expected: Int) throws(DemoFailure) -> DemoOutcome {
    let said = messages.compactMap { $0["error"]?["message"]?.string }.last
    try expect(
      status == expected,
      "“\(line)” ended with \(status), not \(expected)" + (said.map { ": \($0)" } ?? "")
    )
    return self
  }

  static func values(_ bytes: [UInt8]) -> [JSONValue] {
    bytes.split(separator: UInt8(ascii: "\n")).map { JSONValue(parsing: $0) ?? .null }
  }
}
