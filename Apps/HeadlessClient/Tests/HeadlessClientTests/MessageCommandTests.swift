import AuthNetworking
import Testing

@testable import HeadlessClient

struct MessageCommandTests {
  private let home = TemporaryDirectory()
  private let backend = FakeBackend()

  private func run(_ line: String...) async -> (status: Int, results: String, messages: String) {
    let streams = MemoryStreams()
    let status = await streams.run(
      line,
      environment: [
        "HEADLESS_CLIENT_HOME": home.path, "HEADLESS_CLIENT_JSON": "1",
        "HEADLESS_CLIENT_PASSWORD": "password-of-ada",
      ],
      parts: backend.parts
    )
    return (Int(status.rawValue), streams.results, streams.messages)
  }

  private func signIn() async {
    _ = await run("login", "ada@example.com", "--base-url", "http://127.0.0.1:1")
  }

  @Test func `A list is printed oldest first, ids as strings, own messages marked`() async {
    await signIn()
    backend.answer(
      "/groups/demo/messages?limit=2",
      200,
      #"""
      {"has_more":true,"messages":[
        {"id":2,"group_id":"demo","sender_id":"8","body":"b","sequence":2,
         "sent_at":"2026-01-02T03:04:05.5+01:00"},
        {"id":"1","group_id":"demo","sender_id":7,"body":"a\nb","sequence":1,
         "sent_at":"2026-01-02T02:04:05Z"}]}
      """#
    )
    let outcome = await run("messages", "list", "demo", "--limit", "2")
    #expect(outcome.status == 0)
    #expect(
      outcome.results == #"""
        {"id":"1","senderID":"7","isMine":true,"body":"a\nb","sequence":1,"sentAt":"2026-01-02T02:04:05Z"}
        {"id":"2","senderID":"8","isMine":false,"body":"b","sequence":2,"sentAt":"2026-01-02T02:04:05.500Z"}

        """#
    )
  }

  private func show(_ line: String..., width: Int) async -> String {
    let streams = MemoryStreams()
    let status = await streams.run(
      line,
      environment: ["HEADLESS_CLIENT_HOME": home.path],
      parts: backend.parts,
      resultsWidth: width
    )
    #expect(status == .done)
    return streams.results
  }

  @Test(arguments: [30, 60, 80, 200])
  func `A terminal's list is within its width, whatever the words`(width: Int) async {
    await signIn()
    let bodies = [String(repeating: "漢字", count: 60), String(repeating: "x", count: 300), "短い"]
    let messages = bodies.enumerated().map { index, body in
      #"{"id":\#(index + 1),"group_id":"demo","sender_id":"a-person-of-a-long-name","#
        + #""body":"\#(body)","sequence":\#(index + 1),"sent_at":"2026-01-02T02:04:05Z"}"#
    }
    backend.answer(
      "/groups/demo/messages?limit=50",
      200,
      #"{"has_more":false,"messages":[\#(messages.reversed().joined(separator: ","))]}"#
    )
    let text = await show("messages", "list", "demo", width: width)
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.allSatisfy { ScreenText.columns(of: $0) <= width }, "\(text)")
    for (sign, count) in [("漢", 60), ("x", 300), ("短", 1)] {
      #expect(text.count { String($0) == sign } == count, "\(text)")
    }
    #expect(text.contains(" ago") || text.contains("in "))
  }

  @Test(arguments: [60, 80, 120, 200])
  func `What waits is a table on a terminal, with how long ago it was written`(width: Int) async {
    await signIn()
    backend.answer("/groups/demo/messages", 404, #"{"error":"no such group"}"#)
    let long = "one 漢字 " + String(repeating: "y", count: 90)
    _ = await run("messages", "send", "demo", long, "--queue")
    backend.fail("/groups/other/messages", with: TransportError(.network, "no", isUnsent: true))
    #expect(await run("messages", "send", "other", "two", "--queue").status == 0)
    let text = await show("outbox", "list", width: width)
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.allSatisfy { ScreenText.columns(of: $0) <= width }, "\(text)")
    for part in ["failed", "waiting", " ago", "demo", "other", "one 漢字", "two"] {
      #expect(text.contains(part), "\(text)")
    }
    #expect(text.contains("MESSAGE") == (width > 100), "\(text)")
    #expect(text.firstMatch(of: /\dT\d\d:/) == nil, "no exact time: \(text)")
    // The ids are whole, for outbox retry and outbox discard.
    let ids = await run("outbox", "list").results.split(separator: "\n").compactMap { line in
      line.firstMatch(of: /"clientMessageID":"([^"]+)"/).map { String($0.1) }
    }
    #expect(ids.count == 2)
    for id in ids { #expect(text.contains(id)) }
  }

  @Test func `A group that is not there is 69`() async {
    await signIn()
    backend.answer("/groups/demo/messages?limit=50", 404, #"{"error":"no such group"}"#)
    let outcome = await run("messages", "list", "demo")
    #expect(outcome.status == 69)
    #expect(outcome.messages.contains(#""code":"rejected""#))
    #expect(outcome.messages.contains(#""status":404"#))
  }

  @Test(arguments: [
    ["--limit", "0"], ["--limit", "201"], ["--limit", "x"], ["--before", "0"], ["--before", "-1"],
    ["--before", "99999999999999999999"],
  ]) func `A bad limit or sequence is 64 before the network`(options: [String]) async {
    await signIn()
    let sent = backend.sent.count
    let streams = MemoryStreams()
    let status = await streams.run(
      ["messages", "list", "demo"] + options,
      environment: ["HEADLESS_CLIENT_HOME": home.path],
      parts: backend.parts
    )
    #expect(status == .usage)
    #expect(backend.sent.count == sent)
  }

  @Test func `An empty message is 65, a busy server 75 with the time to wait`() async {
    await signIn()
    #expect(await run("messages", "send", "demo", "").status == 65)
    backend.answer("/groups/demo/messages", 429, #"{"error":"slow down"}"#)
    let outcome = await run("messages", "send", "demo", "hello")
    #expect(outcome.status == 75)
    #expect(outcome.messages.contains(#""code":"rateLimited""#))
  }

  @Test(arguments: [
    (TransportError(.network, "Connection refused", isUnsent: true), "network"),
    (TransportError(.timeout, "no connection in time", isUnsent: true), "timeout"),
    (TransportError(.tls, "self-signed certificate", isUnsent: true), "tls"),
    (TransportError(.pinMismatch, "none of the pinned ones"), "pinMismatch"),
    (TransportError(.network, "Connection reset"), "network"),
    (TransportError(.timeout, "no answer in time"), "timeout"),
  ])
  func `A message that never left is told apart from one that nobody answered for`(
    failure: TransportError,
    code: String
  ) async {
    await signIn()
    backend.fail("/groups/demo/messages", with: failure)
    let outcome = await run("messages", "send", "demo", "hello")
    #expect(outcome.status == 75)
    #expect(outcome.results.isEmpty)
    let lines = outcome.messages.split(separator: "\n").filter { $0.hasPrefix(#"{"error""#) }
    #expect(lines.count == 1)
    #expect(outcome.messages.contains(#""code":"\#(code)""#))
    #expect(outcome.messages.contains("was not sent") == failure.isUnsent)
    #expect(outcome.messages.contains("may have arrived") == !failure.isUnsent)
    #expect(outcome.messages.contains("--queue"))
  }

  @Test(arguments: [(429, false), (500, true), (503, true)])
  func `Too many requests means not taken, a failing server that nobody knows`(
    status: Int,
    mayHaveArrived: Bool
  ) async {
    await signIn()
    backend.answer("/groups/demo/messages", status, #"{"error":"no"}"#)
    let outcome = await run("messages", "send", "demo", "hello")
    #expect(outcome.status == 75)
    #expect(outcome.messages.contains("may have arrived") == mayHaveArrived)
    #expect(outcome.messages.contains("was not sent") == !mayHaveArrived)
  }

  @Test func `Watching without a realtime endpoint says what to name`() async {
    await signIn()
    let outcome = await run("messages", "watch", "demo")
    #expect(outcome.status == 64)
    #expect(outcome.messages.contains("--realtime-url"))
  }

  @Test func `Signed out, every message command is 77`() async {
    for line in [["list", "g"], ["send", "g", "t"], ["watch", "g"]] {
      let streams = MemoryStreams()
      let status = await streams.run(
        ["messages"] + line,
        environment: ["HEADLESS_CLIENT_HOME": home.path],
        parts: backend.parts
      )
      #expect(status == .notSignedIn)
    }
    #expect(backend.sent.isEmpty)
  }
}
