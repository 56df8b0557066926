import Foundation

/// The real dev-backend as a process of its own, on ports that the system chose.
struct RunningBackend {
  let process: RunningProcess
  let port: Int
  let realtimePort: Int

  var url: String { "http://127.0.0.1:\(port)" }
  var realtimeURL: String { "http://127.0.0.1:\(realtimePort)" }

  static func start(_ arguments: String...) async throws -> RunningBackend {
    try await start(arguments)
  }

  static func start(_ arguments: [String]) async throws -> RunningBackend {
    let process = try Executable.devBackend.start(
      ["--port", "0", "--realtime-port", "0", "--json"] + arguments
    )
    let first = await process.waitForLines(1).first ?? ""
    guard let line = JSONObject(first), let port = line.int("http_port"),
      let realtimePort = line.int("realtime_port")
    else {
      let outcome = await process.outcome()
      throw StartFailure(said: outcome.everything)
    }
    return RunningBackend(process: process, port: port, realtimePort: realtimePort)
  }

  /// Asks it to stop, and waits until it has.
  @discardableResult
  func stop() async -> Outcome {
    process.signal(SIGTERM)
    return await process.outcome()
  }

  struct StartFailure: Error {
    var said: String
  }
}
