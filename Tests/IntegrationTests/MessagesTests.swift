import Foundation
import Testing

/// Messages end to end: two people, two clients, the real backend.
@Suite struct MessagesTests {
  @Test(arguments: ["skyconnect", "ksn"])
  func `what one sends the other sees live, once, in order`(dialect: String) async throws {
    let backend = try await RunningBackend.start()
    let (ada, bob) = (
      try ClientHome(backend: backend.url), try ClientHome(backend: backend.url)
    )
    try await register("ada", in: ada, at: backend, dialect: dialect)
    try await register("bob", in: bob, at: backend, dialect: dialect)
    let greeting = try await bob.run("messages", "send", "general", "are you there?")
    #expect(greeting.status == 0, "\(greeting.everything)")
    let start = try #require(greeting.line?.int("sequence"))

    let watching = try ada.start(
      "messages",
      "watch",
      "general",
      "--after",
      "\(start)",
      "--count",
      "5"
    )
    for number in 1...5 {
      #expect(try await bob.run("messages", "send", "general", "number \(number)").status == 0)
    }
    let outcome = await watching.outcome()

    #expect(outcome.status == 0, "\(outcome.everything)")
    #expect(outcome.lines.compactMap { $0.int("sequence") } == Array(start + 1...start + 5))
    #expect(outcome.lines.compactMap { $0.string("body") } == (1...5).map { "number \($0)" })
    #expect(outcome.lines.allSatisfy { $0.bool("isMine") == false })
    let list = try await bob.run("messages", "list", "general", "--limit", "5")
    #expect(list.lines.compactMap { $0.int("sequence") } == Array(start + 1...start + 5))
    #expect(list.lines.allSatisfy { $0.bool("isMine") == true })
    await backend.stop()
  }

  @Test func `watch goes on through restarts of the backend, without a gap or a repeat`()
    async throws
  {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).db")
    defer { try? FileManager.default.removeItem(at: file) }
    let options = ["--database", file.path]
    var backend = try await RunningBackend.start(options)
    let home = try ClientHome(backend: backend.url)
    try await register("ada", in: home, at: backend, dialect: "skyconnect")
    let first = try await home.run("messages", "send", "general", "0")
    let start = try #require(first.line?.int("sequence"), "\(first.everything)")

    let watching = try home.start(
      "messages",
      "watch",
      "general",
      "--after",
      "\(start)",
      "--count",
      "6"
    )
    for round in 0..<3 {
      #expect(try await home.run("messages", "send", "general", "a\(round)").status == 0)
      _ = await watching.waitForLines(2 * round + 1)
      await backend.stop()
      backend = try await RunningBackend.start(options, on: backend.ports)
      #expect(try await home.run("messages", "send", "general", "b\(round)").status == 0)
      _ = await watching.waitForLines(2 * round + 2)
    }
    let outcome = await watching.outcome()

    #expect(outcome.status == 0, "\(outcome.everything)")
    #expect(outcome.lines.compactMap { $0.int("sequence") } == Array(start + 1...start + 6))
    await backend.stop()
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `watch ends in silence at a signal, and says by its status which it was`(
    signal: Int32
  ) async throws {
    let backend = try await RunningBackend.start()
    let home = try ClientHome(backend: backend.url)
    try await register("ada", in: home, at: backend, dialect: "skyconnect")
    #expect(try await home.run("messages", "send", "general", "1").status == 0)
    let watching = try home.start("messages", "watch", "general", "--after", "0")
    #expect(await watching.waitForOutput(#""body":"1""#))
    watching.signal(signal)
    let outcome = await watching.outcome()
    #expect(outcome.status == 128 + signal, "\(outcome.everything)")
    #expect(outcome.lines.count == 1)
    #expect(outcome.error == nil)
    await backend.stop()
  }

  @Test func `watch says on the side until when it waits, and when it is connected again`()
    async throws
  {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).db")
    defer { try? FileManager.default.removeItem(at: file) }
    let options = ["--database", file.path]
    var backend = try await RunningBackend.start(options)
    let home = try ClientHome(backend: backend.url)
    try await register("ada", in: home, at: backend, dialect: "skyconnect")
    #expect(try await home.run("messages", "send", "general", "1").status == 0)
    let watching = try home.start("messages", "watch", "general", "--after", "0")
    #expect(await watching.waitForOutput(#""body":"1""#))

    await backend.stop()
    #expect(await watching.waitForErrors(#"{"note":"not connected; waiting until "#))
    backend = try await RunningBackend.start(options, on: backend.ports)
    #expect(await watching.waitForErrors(#"{"note":"connected again"}"#))
    #expect(try await home.run("messages", "send", "general", "2").status == 0)
    #expect(await watching.waitForOutput(#""body":"2""#))
    watching.signal(SIGINT)
    #expect(await watching.outcome().status == 130)
    await backend.stop()
  }

  @Test func `watch ends with 77 when the session is revoked`() async throws {
    let backend = try await RunningBackend.start()
    let (victim, other) = (
      try ClientHome(backend: backend.url), try ClientHome(backend: backend.url)
    )
    try await register("ada", in: victim, at: backend, dialect: "skyconnect")
    try await register("bob", in: other, at: backend, dialect: "skyconnect")
    let token = try #require(try await victim.run("token", "--reveal").line?.string("token"))
    let watching = try victim.start("messages", "watch", "general", "--after", "0")
    #expect(try await other.run("messages", "send", "general", "hello").status == 0)
    _ = await watching.waitForLines(1)

    let revokedID = try #require(MessagesTests.sessionID(in: token))
    let revoked = try await victim.run("request", "DELETE", "/sessions/\(revokedID)")
    let outcome = await watching.outcome()

    #expect(revoked.status == 0, "\(revoked.everything)")
    #expect(outcome.status == 77, "\(outcome.everything)")
    #expect(outcome.error?.string("code") == "sessionEnded")
    #expect(try await victim.run("status").line?.string("reason") == "revoked")
    await backend.stop()
  }

  @Test(arguments: ["messages list", "messages send", "rpc"])
  func `the examples of the help work against the backend`(command: String) async throws {
    let backend = try await RunningBackend.start()
    let home = try ClientHome(backend: backend.url)
    try await register("ada", in: home, at: backend, dialect: "skyconnect")
    let help = try await Executable.headlessClient.run(
      ["help"] + command.split(separator: " ").map(String.init)
    )
    let examples = help.output.split(separator: "\n").filter { $0.hasPrefix("  headless-client ") }
    #expect(examples.count == 2)

    for example in examples {
      // As a shell splits it: what stands between quotes is one word.
      let words = example.split(separator: "'").enumerated().flatMap { index, part in
        index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
      }.dropFirst()
      let outcome = try await home.run(Array(words))
      #expect(outcome.status == 0, "\(example): \(outcome.everything)")
    }
    await backend.stop()
  }

  @Test func `rpc streams frames from its input into a call of both directions`() async throws {
    let backend = try await RunningBackend.start()
    let home = try ClientHome(backend: backend.url)
    try await register("ada", in: home, at: backend, dialect: "skyconnect")
    // A ClientFrame that sends "hi" to "general", by the client message ids c-1 and c-2.
    let frames = ["31", "32"].map { "12120a0767656e6572616c1203632d\($0)1a026869\n" }

    let outcome = try await home.run(
      "rpc",
      "/skyconnect.realtime.v1.Realtime/Connect",
      "--messages",
      "-",
      input: frames.joined()
    )
    let list = try await home.run("messages", "list", "general", "--limit", "2")

    #expect(outcome.status == 0, "\(outcome.everything)")
    #expect(outcome.lines.last?.string("statusName") == "OK")
    #expect(list.lines.compactMap { $0.string("body") } == ["hi", "hi"])
    await backend.stop()
  }

  private func register(
    _ name: String,
    in home: ClientHome,
    at backend: RunningBackend,
    dialect: String
  ) async throws {
    let outcome = try await home.run(
      "register",
      "--username",
      name,
      "--email",
      "\(name)@example.com",
      "--date-of-birth",
      "2008-05-15",
      "--dialect",
      dialect,
      "--base-url",
      backend.url,
      "--realtime-url",
      backend.realtimeURL
    )
    #expect(outcome.status == 0, "\(outcome.everything)")
  }

  static func sessionID(in token: String) -> String? {
    let parts = token.split(separator: ".")
    guard parts.count == 3 else { return nil }
    var payload = parts[1].replacingOccurrences(of: "-", with: "+")
      .replacingOccurrences(of: "_", with: "/")
    payload += String(repeating: "=", count: (4 - payload.count % 4) % 4)
    let data = Data(base64Encoded: payload) ?? Data()
    return JSONObject(String(decoding: data, as: UTF8.self))?.string("sid")
  }
}
