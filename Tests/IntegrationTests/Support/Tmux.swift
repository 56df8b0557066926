import Foundation
import Testing

/// A real terminal: a tmux of a test's own, with a shell script in it; both end with the test.
final class Tmux: Sendable {
  private let folder: String

  /// Starts a script in a terminal of that size, with the executables on its path.
  init(
    columns: Int,
    rows: Int,
    environment: [String: String],
    script: String
  ) async throws {
    folder =
      FileManager.default.temporaryDirectory
      .appending(path: "tmux-\(UUID().uuidString.prefix(8))").path
    try FileManager.default.createDirectory(
      atPath: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    let bin = Executable.headlessClient.url.deletingLastPathComponent().path
    let exports = environment.map { "export \($0.key)='\($0.value)'\n" }.joined()
    let all = "\(exports)export PATH='\(bin)':\"$PATH\"\n\(script)\n"
    try all.write(toFile: "\(folder)/script", atomically: true, encoding: .utf8)
    let size = ["-x", "\(columns)", "-y", "\(rows)"]
    let outcome = try await tmux(
      ["new-session", "-d", "-s", "chat"] + size + ["bash '\(folder)/script'; sleep 600"]
    )
    try #require(outcome.status == 0, "apt-get install tmux: \(outcome.everything)")
  }

  /// Ends it, with all that runs in it.
  func stop() async throws {
    _ = try await tmux(["kill-server"])
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Types text as it is.
  func type(_ text: String) async throws { _ = try await tmux(["send-keys", "-l", "--", text]) }

  /// Presses keys by tmux's names, as `Enter` or `C-c`.
  func press(_ keys: String...) async throws { _ = try await tmux(["send-keys"] + keys) }

  /// Gives the terminal another size.
  func resize(columns: Int, rows: Int) async throws {
    _ = try await tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
  }

  /// What it shows, a line for each row, without the blanks at their ends.
  func lines() async throws -> [String] {
    let screen = try await tmux(["capture-pane", "-p"])
    try #require(screen.status == 0, "\(screen.everything)")
    return screen.output.components(separatedBy: "\n").dropLast()
  }

  /// Waits until the screen is as wanted.
  ///
  /// Only what never comes takes as long as the limit.
  @discardableResult
  func wait(
    for what: String,
    until isThere: ([String]) -> Bool
  ) async throws -> [String] {
    let limit = ContinuousClock.now + .seconds(300)
    while true {
      let shown = try await lines()
      if isThere(shown) { return shown }
      try #require(
        ContinuousClock.now < limit,
        "waited for \(what) and saw:\n\(shown.joined(separator: "\n"))"
      )
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  /// Waits until a text stands on the screen.
  @discardableResult
  func wait(for text: String) async throws -> [String] {
    try await wait(for: text) { $0.contains { $0.contains(text) } }
  }

  private func tmux(_ arguments: [String]) async throws -> Outcome {
    // The server must not keep what tells Foundation that a process has ended.
    let script = """
      ( for fd in /proc/$BASHPID/fd/*; do
          fd=${fd##*/}
          if [ "$fd" -gt 2 ]; then eval "exec $fd>&-"; fi
        done
        exec tmux "$@" )
      """
    let server = ["-u", "-f", "/dev/null", "-S", "\(folder)/socket"]
    return try await RunningProcess(
      URL(filePath: "/bin/bash"),
      ["-c", script, "tmux"] + server + arguments,
      environment: ["LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "TMUX": ""],
      input: ""
    ).outcome()
  }
}
