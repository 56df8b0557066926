public import Foundation
internal import Synchronization

/// A `dev-backend` of its own process, which is killed and started again under load.
public final class BackendProcess: Sendable {
  /// It does not start, or says nothing.
  public struct Failure: Error, CustomStringConvertible {
    /// What happened.
    public let description: String
  }

  private struct State {
    var process: Process?
    var ports: (http: UInt16, realtime: UInt16)
  }

  private let program: URL
  private let arguments: [String]
  // Nobody else gets them while it is dead.
  private let reserved = (http: ReservedPort(), realtime: ReservedPort())
  private let state: Mutex<State>

  /// Starts the program on free ports; blocks until it listens.
  ///
  /// - Parameters:
  ///   - program: the path of `dev-backend`.
  ///   - options: its options, without ports.
  /// - Throws: ``Failure`` where it does not start.
  public init(_ program: URL, options: [String]) throws {
    self.program = program
    arguments = options + ["--json", "--quiet"]
    let ports = (http: UInt16(reserved.http.number), realtime: UInt16(reserved.realtime.number))
    state = Mutex(State(process: nil, ports: ports))
    try start()
  }

  deinit { state.withLock { $0.process?.terminate() } }

  /// The HTTP port, the same after each start.
  public var httpPort: UInt16 { state.withLock(\.ports.http) }

  /// The gRPC port, the same after each start.
  public var realtimePort: UInt16 { state.withLock(\.ports.realtime) }

  /// The process's id.
  public var identifier: Int32 { state.withLock { $0.process?.processIdentifier ?? 0 } }

  /// Starts it again, on the ports that it had; blocks until it listens.
  ///
  /// - Throws: ``Failure`` where it does not start.
  public func start() throws {
    let ports = state.withLock(\.ports)
    let process = Process()
    process.executableURL = program
    process.arguments =
      arguments + ["--port", String(ports.http), "--realtime-port", String(ports.realtime)]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let line = output.fileHandleForReading.availableData
    let json = try? JSONSerialization.jsonObject(with: line) as? [String: Any]
    guard let http = json?["http_port"] as? Int, let realtime = json?["realtime_port"] as? Int
    else {
      throw Failure(description: "dev-backend does not start: \(arguments)")
    }
    state.withLock { state in
      state.process = process
      state.ports = (UInt16(http), UInt16(realtime))
    }
  }

  /// SIGKILL; blocks until it is gone.
  public func kill() {
    guard let process = state.withLock({ $0.process }) else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    while process.isRunning { usleep(2_000) }
  }
}
