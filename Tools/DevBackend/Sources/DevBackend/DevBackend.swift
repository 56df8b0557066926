internal import Dispatch
internal import Synchronization

/// The backend that both dialects' clients run against, in this process.
///
/// ```swift
/// let backend = DevBackend(.testing())
/// let ports = try await backend.start()
/// // … clients use http://127.0.0.1:\(ports.http) …
/// await backend.stop()
/// ```
///
/// An instance can be started again after it was stopped: it then takes the ports that it had,
/// and a database in memory still holds what it held.
public final class DevBackend: Sendable {
  private enum State {
    case stopped
    case changing
    case running(HTTPServer, BackendPorts)
  }

  private struct Memory {
    var state = State.stopped
    var core: BackendCore?
    var ports: BackendPorts?
  }

  private let configuration: BackendConfiguration
  private let time: ServerTime
  private let faults = FaultSwitches()
  private let memory = Mutex(Memory())
  // Opening files, binding sockets and joining threads block.
  private let queue = DispatchQueue(label: "dev-backend.control")

  /// A backend that is not started yet; nothing is opened or made.
  public init(_ configuration: BackendConfiguration = BackendConfiguration()) {
    self.configuration = configuration
    time = ServerTime(configuration.clock)
  }

  /// Opens the database and listens on both ports.
  ///
  /// - Returns: the ports that it really listens on.
  /// - Throws: ``BackendError`` that says what to do; nothing is left open then.
  @discardableResult
  public func start() async throws(BackendError) -> BackendPorts {
    let isFree = memory.withLock { memory in
      guard case .stopped = memory.state else { return false }
      memory.state = .changing
      return true
    }
    guard isFree else { throw BackendError(.alreadyRunning, "the backend is started already") }
    let known = memory.withLock { ($0.core, $0.ports) }
    let result: Result<(BackendCore, HTTPServer, BackendPorts), BackendError> =
      await withCheckedContinuation { continuation in
        queue.async {
          continuation.resume(
            returning: Result { () throws(BackendError) in
              try self.open(core: known.0, ports: known.1)
            }
          )
        }
      }
    switch result {
    case .success(let (core, server, ports)):
      memory.withLock { memory in
        (memory.core, memory.ports) = (core, ports)
        memory.state = .running(server, ports)
      }
      return ports
    case .failure(let error):
      memory.withLock { $0.state = .stopped }
      throw error
    }
  }

  /// Ends all connections and streams, and closes the database; does nothing when stopped.
  public func stop() async {
    let running: HTTPServer? = memory.withLock { memory in
      guard case .running(let server, _) = memory.state else { return nil }
      memory.state = .changing
      return server
    }
    guard let running else { return }
    await withCheckedContinuation { continuation in
      queue.async {
        running.stop()
        continuation.resume()
      }
    }
    memory.withLock { memory in
      memory.state = .stopped
      // A file is closed, so that another process may open it; memory would be lost.
      if configuration.database != nil { memory.core = nil }
    }
  }

  /// What tests and demonstrations may see and do behind the clients' backs.
  ///
  /// - Throws: ``BackendError`` before the first start, or while a file is closed.
  public func inspector() throws(BackendError) -> BackendInspector {
    guard let core = memory.withLock({ $0.core }) else {
      throw BackendError(.database, "start the backend first")
    }
    return BackendInspector(core: core)
  }

  private func open(
    core known: BackendCore?,
    ports: BackendPorts?
  ) throws(BackendError) -> (BackendCore, HTTPServer, BackendPorts) {
    let tls: PEMFiles? = if let files = configuration.tls { try PEMFiles(files) } else { nil }
    let core =
      if let known { known } else { try BackendCore(configuration, time: time, faults: faults) }
    if configuration.seedsDemoData { try DemoData.seed(core) }
    let server = try HTTPServer(
      HTTPService(core: core),
      host: configuration.host,
      port: ports?.http ?? configuration.port,
      tls: tls,
      maximumBodySize: configuration.maximumBodySize
    )
    return (core, server, BackendPorts(http: server.port, realtime: 0))
  }
}
