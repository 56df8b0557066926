import Foundation

/// The real dev-backend as a process of its own, on ports that the system chose.
struct RunningBackend {
  /// The ports of a backend, which stay its own while it is down.
  struct Ports {
    let http: ReservedPort
    let realtime: ReservedPort
  }

  let process: RunningProcess
  let ports: Ports

  var port: Int { ports.http.number }
  var realtimePort: Int { ports.realtime.number }
  var url: String { "http://127.0.0.1:\(port)" }
  var realtimeURL: String { "http://127.0.0.1:\(realtimePort)" }

  static func start(_ arguments: String...) async throws -> RunningBackend {
    try await start(arguments)
  }

  /// Starts one, on the ports of one that was stopped or on others.
  static func start(
    _ arguments: [String],
    on given: Ports? = nil
  ) async throws -> RunningBackend {
    let ports = try given ?? Ports(http: ReservedPort(), realtime: ReservedPort())
    let process = try Executable.devBackend.start(
      [
        "--port", "\(ports.http.number)", "--realtime-port", "\(ports.realtime.number)", "--json",
      ] + arguments
    )
    let first = await process.waitForLines(1).first ?? ""
    guard JSONObject(first)?.int("http_port") == ports.http.number else {
      let outcome = await process.outcome()
      throw StartFailure(said: outcome.everything)
    }
    return RunningBackend(process: process, ports: ports)
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
