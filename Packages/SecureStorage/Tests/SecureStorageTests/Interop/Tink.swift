import Foundation
import Testing

/// Python with Tink, from a virtual environment under the package's `.build`, made on first use.
enum Tink {
  /// It has wheels for the Python of Debian 12.
  private static let requirement = "tink==1.16.0"

  private enum Availability: Sendable {
    case python(String)
    case notInstalled
    case notReachable
  }

  /// What a script answers to a request.
  ///
  /// Without Python the test fails, since the project installs that; without a registry to have
  /// Tink from it is skipped, and says so.
  static func run<Answer: Decodable & Sendable>(
    _ script: String,
    _ request: some Encodable
  ) async throws -> Answer {
    let input = try JSONEncoder().encode(request)
    switch await onOwnThread({ found }) {
    case .python(let python):
      let output = try await onOwnThread { Result { try answer(python, script, input) } }.get()
      return try JSONDecoder().decode(Answer.self, from: output)
    case .notInstalled:
      throw Failure(message: "python3 with venv is missing: apt-get install python3-venv")
    case .notReachable:
      try Test.cancel("skipped: pip cannot reach a registry that has \(requirement)")
    }
  }

  private struct Failure: Error {
    let message: String
  }

  private static func onOwnThread<Value: Sendable>(
    _ job: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { done in
      DispatchQueue.global().async { done.resume(returning: job()) }
    }
  }

  private static func answer(_ python: String, _ script: String, _ input: Data) throws -> Data {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("tink-request-\(UUID().uuidString)")
    try input.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let output = Pipe()
    let process = process([python, "-c", TinkScripts.common + script, file.path])
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
    let environment = package.appendingPathComponent(".build/tink").path
    let python = "\(environment)/bin/python"
    let check = [python, "-c", "import tink.aead"]
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
