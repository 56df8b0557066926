import Foundation
import Testing

/// Every example that help shows, run as it stands there, against the real backend.
@Suite struct HelpExamplesTests {
  /// A folder with what the examples name, and the client signed in from it.
  private final class Stage {
    let folder: URL
    let backend: RunningBackend

    init(_ backend: RunningBackend) throws {
      self.backend = backend
      folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(#"{"key": "imported", "value": "1"}"#.utf8)
        .write(to: folder.appending(path: "values.jsonl"))
      try Data("a picture".utf8).write(to: folder.appending(path: "avatar.png"))
      try Data(#"{"client_message_id": "c-2", "body": "Hello"}"#.utf8)
        .write(to: folder.appending(path: "message.json"))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs a line in a shell, in the folder.
    func run(_ line: String, _ dialect: String, _ home: String) async throws -> Outcome {
      let programs = Executable.headlessClient.url.deletingLastPathComponent().path
      let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
      return try await RunningProcess(
        URL(filePath: "/bin/sh"),
        ["-c", "cd \(folder.path) && \(line)"],
        environment: [
          "PATH": "\(programs):\(path)", "HOME": folder.path,
          "HEADLESS_CLIENT_HOME": folder.appending(path: home).path,
          "HEADLESS_CLIENT_BASE_URL": backend.url, "HEADLESS_CLIENT_DIALECT": dialect,
          "HEADLESS_CLIENT_REALTIME_URL": backend.realtimeURL, "HEADLESS_CLIENT_VAULT": "file",
          "HEADLESS_CLIENT_PASSWORD": "Lovelace1",
        ],
        input: "Lovelace1\n"
      ).outcome()
    }

    func signIn(_ dialect: String, _ home: String) async throws {
      let outcome = try await run(
        "headless-client login ada@example.com --json",
        dialect,
        home
      )
      #expect(outcome.status == 0, "\(outcome.everything)")
    }
  }

  /// What an example needs to have been done before, by its beginning, and what it ends with where
  /// that is not 0.
  private static let preparations: [(example: String, before: String, status: Int32)] = [
    ("store get theme", "headless-client store set theme dark", 0),
    ("store get avatar", "headless-client store set avatar - < avatar.png", 0),
    (
      "store import --from ~/old-home --from-profile work",
      "headless-client store set old 1 --home ~/old-home --profile work", 0
    ),
    ("store import --from", "headless-client store set old 1 --home ~/old-home", 0),
    ("profile show work", "headless-client store set a 1 --profile work", 0),
    ("profile remove work --yes", "headless-client store set a 1 --profile work", 0),
    // Nobody is there to be asked.
    ("profile remove work", "headless-client store set a 1 --profile work", 64),
    // The key is in a file, which has no passphrase.
    ("store passphrase", "true", 64),
    // Ids that nobody has.
    ("sessions revoke ses_", "true", 69), ("outbox retry ", "true", 69),
    ("outbox discard ", "true", 69),
  ]

  /// Left to other tests: what has no end, takes its time, or goes to another backend.
  private static func isLeftOut(_ example: String) -> Bool {
    (example.hasPrefix("messages watch") && !example.contains("--count"))
      || example.hasPrefix("demo") || example.hasPrefix("doctor") || example.contains("--for ")
      || example.contains("--base-url") || example.hasPrefix("help --man")
      || example.contains("--vault passphrase") || example.hasPrefix("register")
      || example.hasPrefix("token --reveal")
  }

  /// Whether an example changes who is signed in, or what the next ones find.
  private static func spendsHome(_ example: String) -> Bool {
    ["login", "logout", "reauth", "sessions revoke", "store import", "store reset", "profile re"]
      .contains { example.hasPrefix($0) }
  }

  /// The examples of the manual page: what stands there without being filled.
  private static func examples() async throws -> [String] {
    var examples: [String] = []
    var isExample = false
    for line in try await Executable.headlessClient.run(["help", "--man"]).output
      .split(separator: "\n").map(String.init)
    {
      if line == ".nf" || line == ".fi" { isExample = line == ".nf" }
      if isExample, line.hasPrefix("headless\\-client ") { examples.append(plain(line)) }
    }
    return examples
  }

  @Test func `every example of help works as it stands`() async throws {
    let backend = try await RunningBackend.start("--seed-demo-data")
    let stage = try Stage(backend)
    let examples = try await HelpExamplesTests.examples()
    #expect(examples.count > 40)

    var homes = ["skyconnect": "", "ksn": ""]
    var tried = 0
    for example in examples where !HelpExamplesTests.isLeftOut(example) {
      let dialect = example.contains("ksn") ? "ksn" : "skyconnect"
      if homes[dialect] == "" || HelpExamplesTests.spendsHome(example) {
        homes[dialect] = "home-\(tried)"
        try await stage.signIn(dialect, "home-\(tried)")
      }
      let home = homes[dialect] ?? ""
      // Messages to be watched.
      for _ in 0..<(example.contains("--count") ? 7 : 0) {
        _ = try await stage.run("headless-client messages send general x", dialect, home)
      }
      let preparation = HelpExamplesTests.preparations.first { example.hasPrefix($0.example) }
      if let before = preparation?.before, before != "true" {
        #expect(try await stage.run(before, dialect, home).status == 0, "before \(example)")
      }
      let outcome = try await stage.run("headless-client \(example)", dialect, home)
      #expect(outcome.status == preparation?.status ?? 0, "\(example): \(outcome.everything)")
      if HelpExamplesTests.spendsHome(example) { homes[dialect] = "" }
      tried += 1
    }
    #expect(tried > 30)
    await backend.stop()
  }

  /// A line of the manual page as it was before roff.
  private static func plain(_ line: String) -> String {
    var text = line
    for (roff, plain) in [
      ("\\-", "-"), ("\\(aq", "'"), ("\\(dq", "\""), ("\\(ti", "~"), ("\\(ha", "^"),
      ("\\(ga", "`"), ("\\e", "\\"),
    ] { text = text.replacing(roff, with: plain) }
    return String(text.dropFirst("headless-client ".count))
  }
}
