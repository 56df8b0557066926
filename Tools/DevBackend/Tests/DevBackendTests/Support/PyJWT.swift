import Foundation
import Testing

@testable import DevBackend

/// Python with PyJWT, from a virtual environment under the package's `.build`, made on first use:
/// somebody else's idea of what a token and a key set are.
enum PyJWT {
  /// They have wheels for the Python of Debian 12.
  private static let requirement = "PyJWT[crypto]==2.15.1"

  private enum Availability: Sendable {
    case python(String)
    case notInstalled
    case notReachable
  }

  private struct Failure: Error {
    let message: String
  }

  /// Runs a script and reads the JSON that it prints.
  ///
  /// Without Python the test fails, since the project installs that; without a registry to have
  /// PyJWT from it is skipped, and says so.
  static func run(_ script: String, _ arguments: String...) async throws -> JSONValue {
    switch await onOwnThread({ found }) {
    case .python(let python):
      let output = try await onOwnThread { Result { try answer(python, script, arguments) } }.get()
      return try #require(JSONValue(parsing: Array(output)))
    case .notInstalled:
      throw Failure(message: "python3 with venv is missing: apt-get install python3-venv")
    case .notReachable:
      try Test.cancel("skipped: pip cannot reach a registry that has \(requirement)")
    }
  }

  private static func onOwnThread<Value: Sendable>(
    _ job: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { done in
      DispatchQueue.global().async { done.resume(returning: job()) }
    }
  }

  private static func answer(
    _ python: String,
    _ script: String,
    _ arguments: [String]
  ) throws -> Data {
    let output = Pipe()
    let process = process([python, "-c", script] + arguments)
    process.standardOutput = output
    let end = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in end.signal() }
    try process.run()
    let answer = output.fileHandleForReading.readDataToEndOfFile()
    end.wait()
    guard process.terminationStatus == 0 else { throw Failure(message: "the script failed") }
    return answer
  }

  private static let found = find()

  private static func find() -> Availability {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let environment = package.appendingPathComponent(".build/pyjwt").path
    let python = "\(environment)/bin/python"
    let check = [python, "-c", "import jwt, cryptography"]
    if succeeds(check) { return .python(python) }
    guard succeeds(["python3", "-m", "venv", environment]) else { return .notInstalled }
    let install = ["-m", "pip", "install", "--quiet", "--retries", "1", requirement]
    guard succeeds([python] + install), succeeds(check) else { return .notReachable }
    return .python(python)
  }

  private static func succeeds(_ command: [String]) -> Bool {
    let process = process(command)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let end = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in end.signal() }
    guard (try? process.run()) != nil else { return false }
    end.wait()
    return process.terminationStatus == 0
  }

  private static func process(_ command: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardInput = FileHandle.nullDevice
    return process
  }
}
