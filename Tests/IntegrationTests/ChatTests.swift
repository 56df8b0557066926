import Foundation
import Testing

/// `messages watch` as a person sees it: in a real terminal, against the real backend.
@Suite struct ChatTests {
  /// What follows the chat in each test: how it ended, and whether the terminal is as it was.
  private static let script = """
    before=$(stty -g)
    bash -c 'echo $$ >"$HEADLESS_CLIENT_HOME/pid"; exec headless-client messages watch general'
    echo "left with $?"
    if [ "$before" = "$(stty -g)" ]; then echo "terminal as before"; fi
    """

  @Test(arguments: [60, 80, 200])
  func `two people chat, at any width`(columns: Int) async throws {
    let backend = try await RunningBackend.start("--seed-demo-data")
    let (ada, grace) = (try ClientHome(backend: backend.url), try ClientHome(backend: backend.url))
    try await signIn("ada", "Lovelace1", in: ada, at: backend)
    try await signIn("grace", "Hopper1906", in: grace, at: backend)
    // Whoever reads it must not have the screen cleared or the window's title changed.
    let hostile = "\u{1B}[2J\u{1B}]0;owned\u{7}not \u{202E}erased 日本語 😀 \u{1B}[31m"
    #expect(try await grace.run("messages", "send", "general", hostile).status == 0)

    let terminal = try await Tmux(
      columns: columns,
      rows: 20,
      environment: ada.environment,
      script: ChatTests.script
    )
    try await terminal.wait(for: "connected ") { $0[18].contains("· connected") }
    var shown = try await terminal.wait(for: "the hostile one, and the prompt") { lines in
      lines.contains { $0.contains("日本語 😀") } && lines[19] == ">"
    }
    #expect(shown.allSatisfy { $0.count <= columns })
    // Live, and the answer typed, which the other one gets.
    #expect(try await grace.run("messages", "send", "general", "are you there?").status == 0)
    try await terminal.wait(for: "are you there?")
    let long = String(repeating: "a long answer ", count: 20) + "ends"
    try await terminal.type(long)
    try await terminal.press("Enter")
    // Unsent, a line below it says so. A picture comes from the top down, and half of one may be
    // seen: only its last line says that all of it is there.
    shown = try await terminal.wait(for: "the answer, sent") { lines in
      lines[17].hasSuffix("ends") && lines[19] == ">"
    }
    #expect(shown.contains { $0.contains(" me: a long answer") })
    #expect(shown.allSatisfy { $0.count <= columns })
    let list = try await grace.run("messages", "list", "general", "--limit", "1")
    #expect(list.line?.string("body") == long)

    try await terminal.press("C-d")
    shown = try await terminal.wait(for: "terminal as before")
    #expect(shown.contains("left with 0"))
    #expect(!shown.contains { $0.contains("are you there?") })
    try await terminal.stop()
    await backend.stop()
  }

  @Test func `it says when it is not connected, keeps what is written, and goes on`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).db")
    defer { try? FileManager.default.removeItem(at: file) }
    let options = ["--database", file.path]
    var backend = try await RunningBackend.start(["--seed-demo-data"] + options)
    let ada = try ClientHome(backend: backend.url)
    try await signIn("ada", "Lovelace1", in: ada, at: backend)
    let terminal = try await Tmux(
      columns: 80,
      rows: 12,
      environment: ada.environment,
      script: ChatTests.script
    )
    try await terminal.wait(for: "· connected")
    await backend.stop()
    try await terminal.wait(for: "not connected, waiting until ")
    try await terminal.type("written offline")
    try await terminal.press("Enter")
    try await terminal.wait(for: "not sent yet")
    try await terminal.resize(columns: 70, rows: 10)
    try await terminal.wait(for: "the status line where it belongs") {
      $0.count == 10 && $0[8].hasPrefix(" general · ") && $0[9] == ">"
    }
    backend = try await RunningBackend.start(options, on: backend.ports)
    try await terminal.wait(for: "all well again") { lines in
      lines.contains { $0.contains("· connected") }
        && !lines.contains { $0.contains("not sent yet") }
    }
    let list = try await ada.run("messages", "list", "general", "--limit", "1")
    #expect(list.line?.string("body") == "written offline")

    // The end of the session is told, and the chat stays to be read until it is left.
    let token = try #require(try await ada.run("token", "--reveal").line?.string("token"))
    let id = try #require(MessagesTests.sessionID(in: token))
    #expect(try await ada.run("request", "DELETE", "/sessions/\(id)").status == 0)
    let shown = try await terminal.wait(for: "signed out: ")
    #expect(shown.contains { $0.contains("written offline") })
    try await terminal.press("Enter")
    #expect(try await terminal.wait(for: "terminal as before").contains("left with 77"))
    try await terminal.stop()
    await backend.stop()
  }

  @Test(arguments: [nil, SIGTERM])
  func `Ctrl-C or a signal ends it: the terminal is as before, and what is unsent is kept`(
    signal: Int32?
  ) async throws {
    let backend = try await RunningBackend.start("--seed-demo-data")
    let ada = try ClientHome(backend: backend.url)
    try await signIn("ada", "Lovelace1", in: ada, at: backend)
    let terminal = try await Tmux(
      columns: 80,
      rows: 12,
      environment: ada.environment,
      script: ChatTests.script
    )
    try await terminal.wait(for: "· connected")
    await backend.stop()
    try await terminal.type("kept")
    try await terminal.press("Enter")
    try await terminal.wait(for: "not sent yet")
    if let signal {
      let pid = try String(contentsOfFile: "\(ada.path)/pid", encoding: .utf8)
      kill(try #require(pid_t(pid.trimmingCharacters(in: .whitespacesAndNewlines))), signal)
    } else {
      try await terminal.press("C-c")
    }
    let shown = try await terminal.wait(for: "terminal as before")
    #expect(shown.contains("left with \(128 + (signal ?? SIGINT))"))
    #expect(!shown.contains { $0.contains("not sent yet") })
    try await terminal.stop()
    let kept = try await ada.run("outbox", "list")
    #expect(kept.lines.map { $0.string("body") } == ["kept"], "\(kept.everything)")
  }

  private func signIn(
    _ name: String,
    _ password: String,
    in home: ClientHome,
    at backend: RunningBackend
  ) async throws {
    let login = try await home.run(
      "login",
      "\(name)@example.com",
      "--base-url",
      backend.url,
      "--realtime-url",
      backend.realtimeURL,
      environment: ["HEADLESS_CLIENT_PASSWORD": password]
    )
    #expect(login.status == 0, "\(login.everything)")
  }
}
