import Foundation
import Testing

/// The server of ``GRPCIOScripts/server``, running in a process of its own.
final class GRPCIOServer: Sendable {
  let port: Int
  private let process: Process

  /// Starts it, or skips the test and says why where grpcio cannot be had.
  init(_ options: [String] = []) async throws {
    let python = try await Self.python()
    let output = Pipe()
    process = try GRPCIO.start(
      python,
      ["-c", GRPCIOScripts.server] + options,
      output: output
    )
    let line = await withCheckedContinuation { done in
      DispatchQueue.global().async { done.resume(returning: Self.line(output)) }
    }
    port = try #require(Int(line))
  }

  deinit { process.kill() }

  static func python() async throws -> String {
    switch await GRPCIO.availability() {
    case .python(let path): return path
    case .missing(let reason): try Test.cancel("skipped: \(reason)")
    }
  }

  private static func line(_ output: Pipe) -> String {
    var text = ""
    while !text.contains("\n") {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self)
    }
    return text.filter { $0 != "\n" }
  }
}
