import Foundation
import Synchronization
import Testing

@testable import DevBackend

/// A `dev-backend` of its own process.
final class Executable: Sendable {
  /// What a finished run left.
  struct Outcome: Sendable {
    let status: Int32
    let output: String
    let errors: String
  }

  let process: Process
  private let output = Pipe()
  private let errors = Pipe()
  private let exit: Task<Int32, Never>

  /// Beside the test bundle, where SwiftPM puts every product of a build.
  static var folder: URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  }

  convenience init(
    _ arguments: String...,
    path: URL = folder.appendingPathComponent("dev-backend")
  ) throws {
    try self.init(arguments, path: path)
  }

  init(_ arguments: [String], path: URL = folder.appendingPathComponent("dev-backend")) throws {
    process = Process()
    process.executableURL = path
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = errors
    let (ended, end) = AsyncStream<Int32>.makeStream()
    process.terminationHandler = { process in
      end.yield(process.terminationReason == .exit ? process.terminationStatus : -1)
      end.finish()
    }
    exit = Task { await ended.first { _ in true } ?? -1 }
    try process.run()
  }

  /// The ports of the one line that says where it listens.
  func listening() async throws -> (http: UInt16, realtime: UInt16) {
    let line = try await Self.off { self.output.fileHandleForReading.availableData }
    let json = try #require(JSONValue(parsing: Array(line)))
    return (
      try #require(json["http_port"]?.integer.map { UInt16($0) }),
      try #require(json["realtime_port"]?.integer.map { UInt16($0) })
    )
  }

  func outcome() async throws -> Outcome {
    // Both are read at once, since a full pipe would stop the process.
    async let errors = Self.off { self.errors.fileHandleForReading.readDataToEndOfFile() }
    let output = try await Self.off { self.output.fileHandleForReading.readDataToEndOfFile() }
    let outcome = Outcome(
      status: await exit.value,
      output: String(decoding: output, as: UTF8.self),
      errors: String(decoding: try await errors, as: UTF8.self)
    )
    // What curl gets from a server is an answer, and not said by the backend.
    if process.executableURL?.lastPathComponent == "dev-backend" {
      SweptOutput.said(outcome.output + outcome.errors)
    }
    return outcome
  }

  /// Runs what blocks on a thread that is not of Swift's pool.
  static func off<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
    }
  }
}
