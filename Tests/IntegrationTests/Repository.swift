import Foundation

/// This repository, as the tests of its scripts see it.
enum Repository {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Runs a script of the repository to its end, without input.
  ///
  /// - Returns: its exit status, and what it wrote to both its outputs.
  static func run(_ path: String, _ arguments: [String]) async throws -> (
    status: Int32, output: String
  ) {
    let output = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: output) }
    // A file instead of a pipe: nobody has to read while the script runs.
    try Data().write(to: output)
    let handle = try FileHandle(forWritingTo: output)
    defer { try? handle.close() }
    let process = Process()
    process.executableURL = root.appending(path: path)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = handle
    process.standardError = handle
    let status = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    return (status, String(decoding: try Data(contentsOf: output), as: UTF8.self))
  }
}
