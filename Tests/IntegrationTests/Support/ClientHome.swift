import Foundation

/// A temporary home of the headless client, and the client run in it.
final class ClientHome: Sendable {
  let path: String
  let backend: String

  static let password = "Correct-Horse-1-battery"

  init(backend: String = "http://127.0.0.1:9", in directory: String? = nil) throws {
    let folder = (directory.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory)
      .appending(path: "headless-client-\(UUID().uuidString)")
    path = folder.path
    self.backend = backend
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// What makes the client use this home.
  var environment: [String: String] {
    [
      "HEADLESS_CLIENT_HOME": path, "HEADLESS_CLIENT_PASSWORD": ClientHome.password,
      "HEADLESS_CLIENT_VAULT": "file", "NO_COLOR": "1",
    ]
  }

  /// Runs a command with `--json`.
  func run(
    _ arguments: String...,
    environment extra: [String: String] = [:],
    input: String = ""
  ) async throws -> Outcome {
    try await run(arguments, environment: extra, input: input)
  }

  /// Runs a command with `--json`, before what may end the options.
  func run(
    _ arguments: [String],
    environment extra: [String: String] = [:],
    input: String = ""
  ) async throws -> Outcome {
    try await Executable.headlessClient.run(
      ["--json"] + arguments,
      environment: environment.merging(extra) { $1 },
      input: input
    )
  }

  /// Starts a command with `--json`.
  func start(_ arguments: String...) throws -> RunningProcess {
    try start(arguments, environment: [:])
  }

  /// Starts a command with `--json`.
  func start(_ arguments: [String], environment extra: [String: String]) throws -> RunningProcess {
    try Executable.headlessClient.start(
      arguments + ["--json"],
      environment: environment.merging(extra) { $1 }
    )
  }

  /// Runs lines in a shell that finds the executables, as a person types them.
  func shell(
    _ lines: String,
    environment extra: [String: String] = [:],
    input: String = ""
  ) throws -> RunningProcess {
    var all = environment.merging(extra) { $1 }
    let folder = Executable.headlessClient.url.deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    all["PATH"] = [extra["PATH"], folder, path].compactMap { $0 }.joined(separator: ":")
    return try RunningProcess(
      URL(filePath: "/bin/bash"),
      ["-c", lines],
      environment: all,
      input: input
    )
  }

  /// Signs in to the backend.
  func login(as identifier: String = "user@example.com") async throws -> Outcome {
    try await run("login", identifier, "--base-url", backend)
  }

  /// The files below the home that hold one of the texts, as `file: text`.
  func files(holding texts: [String]) throws -> [String] {
    guard let walker = FileManager.default.enumerator(atPath: path) else { return [] }
    var found: [String] = []
    for case let file as String in walker {
      guard let data = FileManager.default.contents(atPath: "\(path)/\(file)") else { continue }
      found += texts.filter { data.range(of: Data($0.utf8)) != nil }.map { "\(file): \($0)" }
    }
    return found
  }
}
