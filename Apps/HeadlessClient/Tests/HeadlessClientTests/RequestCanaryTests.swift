import AuthNetworking
import Synchronization
import Testing

@testable import HeadlessClient

/// `request` as a canary, in whole command lines on a clock of their own.
struct RequestCanaryTests {
  private let home = TemporaryDirectory()
  private let backend = FakeBackend()
  private let clock = VirtualCommandClock()

  private struct Outcome {
    var status: CommandStatus
    var results: [JSONValue]
    /// Without the notes, which are many when the tests listen to everything.
    var messages: [JSONValue]
    var summary: JSONValue? { (results + messages).lazy.compactMap { $0["summary"] }.first }
  }

  private func run(_ line: String...) async -> Outcome { await run(line) }

  private func run(_ line: [String]) async -> Outcome {
    let streams = MemoryStreams()
    let status = await run(line, on: streams)
    return Outcome(
      status: status,
      results: streams.results.split(separator: "\n").compactMap { JSONValue(parsing: $0.utf8) },
      messages: streams.messages.split(separator: "\n")
        .compactMap { JSONValue(parsing: $0.utf8) }
        .filter { $0["note"] == nil }
    )
  }

  private func run(_ line: [String], on streams: MemoryStreams) async -> CommandStatus {
    var parts = backend.parts
    parts.clock = clock.clock
    let environment = [
      "HEADLESS_CLIENT_HOME": home.path, "HEADLESS_CLIENT_JSON": "1",
      "HEADLESS_CLIENT_PASSWORD": "password-of-ada",
    ]
    return await streams.run(line, environment: environment, parts: parts)
  }

  private func signIn() async {
    _ = await run("login", "ada@example.com", "--base-url", "http://127.0.0.1:1")
  }

  @Test func `A repeated request has a line for each answer on stdout, its summary on stderr`()
    async
  {
    await signIn()
    let outcome = await run("request", "GET", "/auth/me", "--repeat", "7", "--concurrency", "3")
    #expect(outcome.status == .done)
    #expect(outcome.results.count == 7)
    #expect(outcome.results.allSatisfy { $0["status"]?.number?.integer() == 200 })
    #expect(outcome.messages.count == 1)
    #expect(outcome.messages[0]["summary"]?["requests"]?.number?.integer() == 7)
  }

  @Test func `With --summary it is the one line on stdout`() async {
    await signIn()
    backend.expire()
    let outcome = await run("request", "GET", "/auth/me", "--repeat", "7", "--summary")
    #expect(outcome.status == .done)
    #expect(outcome.messages.isEmpty)
    #expect(outcome.results.count == 1)
    #expect(outcome.summary?["counts"]?.text == #"{"200":7}"#)
    #expect(outcome.summary?["refreshes"]?.number?.integer() == 1)
  }

  @Test func `One request has no summary unless asked for one`() async {
    await signIn()
    #expect(await run("request", "GET", "/auth/me").messages.isEmpty)
    let outcome = await run("request", "GET", "/auth/me", "--summary")
    #expect(outcome.results.count == 1)
    #expect(outcome.summary?["requests"]?.number?.integer() == 1)
  }

  @Test func `It runs so long at such intervals`() async {
    await signIn()
    let start = clock.elapsed
    let outcome = await run(
      "request",
      "GET",
      "/auth/me",
      "--interval",
      "30s",
      "--for",
      "8h",
      "--summary"
    )
    #expect(outcome.status == .done)
    #expect(outcome.summary?["requests"]?.number?.integer() == 960)
    #expect(clock.elapsed - start == .seconds(959 * 30))
  }

  @Test func `The worst answer is the exit status, and K failures in a row are an alarm`() async {
    await signIn()
    let line = ["request", "GET", "/auth/me", "--interval", "1", "--repeat", "20", "--summary"]
    backend.failRequests(numbered: [3, 4, 9, 10], of: "/auth/me")
    #expect(await run(line).status == .temporary)
    backend.failRequests(numbered: [3, 4, 9, 10], of: "/auth/me")
    let blip = await run(line + ["--alarm-after", "3"])
    #expect(blip.status == .done)
    #expect(blip.summary?["failed"]?.number?.integer() == 4)
    #expect(blip.summary?["failedInARow"]?.number?.integer() == 2)
    #expect(blip.summary?["alarm"] == .bool(false))
    backend.failRequests(numbered: [3, 4, 5], of: "/auth/me")
    let alarm = await run(line + ["--alarm-after", "3"])
    #expect(alarm.status == .temporary)
    #expect(alarm.summary?["requests"]?.number?.integer() == 5)
    #expect(alarm.summary?["alarm"] == .bool(true))
    #expect(alarm.messages.last?["error"]?["code"]?.string == "network")
  }

  @Test func `A session that ends is an alarm at once`() async {
    await signIn()
    backend.revoke()
    let outcome = await run(
      "request",
      "GET",
      "/auth/me",
      "--interval",
      "1m",
      "--alarm-after",
      "10",
      "--summary"
    )
    #expect(outcome.status == .notSignedIn)
    #expect(outcome.summary?["requests"]?.number?.integer() == 1)
  }

  @Test func `A sign-in over the session does not go on with its requests`() async {
    await signIn()
    backend.answer("/auth/me", 200, "{}")
    backend.onRequest(numbered: 2, of: "/auth/me") { [self] in
      await signIn()
      backend.answerAsUsual("/auth/me")
    }
    let outcome = await run("request", "GET", "/auth/me", "--repeat", "9", "--summary")
    #expect(outcome.status == .notSignedIn)
    #expect(outcome.summary?["failed"]?.number?.integer() ?? 0 >= 7)
    #expect(outcome.messages.last?["error"]?["code"]?.string == "notSignedIn")
  }

  @Test func `Ctrl-C prints the summary so far, and is 130`() async {
    await signIn()
    let streams = MemoryStreams()
    let command = Mutex<Task<CommandStatus, Never>?>(nil)
    backend.onRequest(numbered: 5, of: "/auth/me") { command.withLock { $0?.cancel() } }
    let task = command.withLock { command in
      let task = Task {
        await run(["request", "GET", "/auth/me", "--interval", "1", "--summary"], on: streams)
      }
      command = task
      return task
    }
    #expect(await task.value == .interrupted)
    let summary = JSONValue(parsing: streams.results.utf8)?["summary"]
    #expect(summary?["interrupted"] == .bool(true))
    #expect((4...5).contains(summary?["requests"]?.number?.integer() ?? 0))
    #expect(summary?["failed"]?.number?.integer() == 0)
  }

  @Test(arguments: [
    ["--interval", "soon"], ["--for", "0"], ["--for", "5 m"], ["--interval", "-1"],
    ["--alarm-after", "2"], ["--repeat", "1", "--alarm-after", "2"],
    ["--repeat", "2", "--output", "x"],
    ["--for", "1m", "--output", "x"], ["--summary", "--output", "x"],
  ])
  func `What makes no sense is 64 before the network`(options: [String]) async {
    await signIn()
    let count = backend.sent.count
    #expect(await run(["request", "GET", "/auth/me"] + options).status == .usage)
    #expect(backend.sent.count == count)
  }

  @Test(arguments: [
    ("1", 1000), ("0.5", 500), ("500ms", 500), ("1.5s", 1500), ("2m", 120_000), ("1h", 3_600_000),
    ("1d", 86_400_000), ("100d", 8_640_000_000),
  ])
  func `A time is a number of seconds, or has its unit`(text: String, milliseconds: Int) {
    #expect(ValueForm.duration(text) == .milliseconds(milliseconds))
  }

  @Test(arguments: [
    "", "m", "ms", "1 m", "1M", "1e3", "-1s", "+1", "0s", "101d", "1h30m", "inf", ".",
  ])
  func `What is no time is none`(text: String) { #expect(ValueForm.duration(text) == nil) }
}
