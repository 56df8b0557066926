import Foundation
import Synchronization

/// An executable product, which lands beside the test binary.
struct Executable: Sendable {
  var name: String

  static let headlessClient = Executable(name: "headless-client")
  static let devBackend = Executable(name: "dev-backend")

  var url: URL {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name)
  }

  /// Runs it to its end.
  func run(
    _ arguments: [String],
    environment: [String: String] = [:],
    input: String = ""
  ) async throws -> Outcome {
    let running = try start(arguments, environment: environment, input: input)
    return await running.outcome()
  }

  /// Starts it.
  func start(
    _ arguments: [String],
    environment: [String: String] = [:],
    input: String = ""
  ) throws -> RunningProcess {
    try RunningProcess(url, arguments, environment: environment, input: input)
  }
}

/// How a process ended and what it said.
struct Outcome: Sendable {
  var status: Int32
  var wasKilled: Bool
  var output: String
  var errors: String

  /// Everything that it said.
  var everything: String { output + errors }

  /// The lines of standard output as JSON objects.
  var lines: [JSONObject] { output.split(separator: "\n").compactMap { JSONObject(String($0)) } }

  /// The one line of standard output.
  var line: JSONObject? { lines.count == 1 ? lines[0] : nil }

  /// The `error` of the last line of standard error.
  var error: JSONObject? {
    errors.split(separator: "\n").last.flatMap { JSONObject(String($0)) }?.object("error")
  }
}

/// A JSON object that tests look things up in.
struct JSONObject: Sendable {
  private let text: String

  private var dictionary: [String: Any] {
    ((try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]) ?? [:]
  }

  init?(_ text: String) {
    self.text = text
    if (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] == nil {
      return nil
    }
  }

  var keys: Set<String> { Set(dictionary.keys) }

  func string(_ key: String) -> String? { dictionary[key] as? String }

  func int(_ key: String) -> Int? { (dictionary[key] as? NSNumber)?.intValue }

  func bool(_ key: String) -> Bool? { (dictionary[key] as? NSNumber)?.boolValue }

  func object(_ key: String) -> JSONObject? {
    guard let value = dictionary[key] as? [String: Any],
      let data = try? JSONSerialization.data(withJSONObject: value)
    else { return nil }
    return JSONObject(String(decoding: data, as: UTF8.self))
  }
}
