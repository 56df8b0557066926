import Foundation
import Synchronization

/// A server that tests stop and start, and that never outlives them.
final class ServerProcess: Sendable {
  private let shell: Process
  // Its end tells the shell that the tests are gone.
  private let lifeline = Pipe()
  private let identifier: Int32

  /// Starts a program; it runs when this returns, but need not serve yet.
  ///
  /// The directory that it works in is removed when the tests end before it.
  init(_ program: [String], owner: Process.Owner = .caller, directory: URL) throws {
    shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/bash")
    let script = """
      "$@" </dev/null >>"\(directory.path)/log" 2>&1 & child=$!
      echo $child
      read -r line
      kill -KILL $child 2>/dev/null
      wait $child
      [ -n "$line" ] || rm -rf "\(directory.path)"
      """
    let (path, arguments) = owner.command(program)
    shell.arguments = ["-c", script, "bash", path.path] + arguments
    let output = Pipe()
    shell.standardInput = lifeline
    shell.standardOutput = output
    shell.standardError = FileHandle.nullDevice
    try shell.run()
    // Both programs that stand before the server are replaced by it, so that this is its id.
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let identifier = Int32(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw CocoaError(.executableLoad)
    }
    self.identifier = identifier
  }

  /// SIGKILL to it and its children; returns when they are gone.
  func kill() async throws {
    // It stands still first, or it makes a child that is in no list, and that lives on.
    Foundation.kill(identifier, SIGSTOP)
    try await Waiting.until("a server stands still") { Self.isStill(identifier) }
    let all = [identifier] + Self.children(of: identifier)
    for process in all { Foundation.kill(process, SIGKILL) }
    // The shell reaps it: to a server that starts again a zombie would be one that still runs.
    try lifeline.fileHandleForWriting.write(contentsOf: Data("killed\n".utf8))
    let shell = shell.processIdentifier
    try await Waiting.until("a killed server is gone") {
      !(all + [shell]).contains { Self.isAlive($0) }
    }
  }

  /// A signal to it and its children.
  func signal(_ number: Int32) throws {
    for process in [identifier] + Self.children(of: identifier) { Foundation.kill(process, number) }
  }

  private static func isStill(_ process: Int32) -> Bool {
    guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
      return true
    }
    return state(stat)?.first.map { ["T", "Z", "X"].contains($0) } ?? true
  }

  private static func isAlive(_ process: Int32) -> Bool {
    // A zombie is dead; who reaps it is the shell.
    guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
      return false
    }
    return state(stat)?.first != "Z"
  }

  private static func children(of parent: Int32) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter { process in
      let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      return stat.flatMap(state)?.dropFirst().first == Substring("\(parent)")
    }
  }

  /// The fields after the name, which is in brackets: state, parent and more.
  private static func state(_ stat: String) -> [Substring]? {
    stat.lastIndex(of: ")").map { stat[$0...].dropFirst().split(separator: " ") }
  }
}

extension Process {
  /// Who runs a program.
  enum Owner: Sendable {
    case caller
    /// Another user, which root may ask for.
    case user(String)

    /// What to run to that end.
    func command(_ program: [String]) -> (path: URL, arguments: [String]) {
      switch self {
      case .caller: (URL(fileURLWithPath: program[0]), Array(program.dropFirst()))
      case .user(let name):
        (
          URL(fileURLWithPath: "/usr/bin/setpriv"),
          ["--reuid=\(name)", "--regid=\(name)", "--clear-groups"] + program
        )
      }
    }
  }
}

/// Waits for what cannot say that it has happened.
enum Waiting {
  struct Never: Error, CustomStringConvertible {
    let description: String
  }

  /// Asks again and again, for two minutes at most, which no machine takes that works.
  static func until(
    _ expectation: String,
    _ isMet: () async throws -> Bool
  ) async throws {
    let end = ContinuousClock.now + .seconds(120)
    while !(try await isMet()) {
      guard ContinuousClock.now < end else {
        throw Never(description: "in two minutes it did not come true that \(expectation)")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
