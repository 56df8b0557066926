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
    case running(HTTPServer, RealtimeHost)
  }

  private struct Memory {
    var state = State.stopped
    var core: BackendCore?
    var ports: BackendPorts?
  }

  private let configuration: BackendConfiguration
  private let time: ServerTime
  private let faults = FaultSwitches()
  private let bus: any InstanceBus
  private let memory = Mutex(Memory())
  // Opening files, binding sockets and joining threads block.
  private let queue = DispatchQueue(label: "dev-backend.control")

  /// A backend that is not started yet; nothing is opened or made.
  public convenience init(_ configuration: BackendConfiguration = BackendConfiguration()) {
    self.init(configuration, bus: InMemoryBus())
  }

  /// The same beside other instances, which hear of each other's revocations on the bus.
  init(_ configuration: BackendConfiguration, bus: any InstanceBus) {
    self.configuration = configuration
    self.bus = bus
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
    do {
      return try await open()
    } catch {
      memory.withLock { $0.state = .stopped }
      throw error
    }
  }

  /// Ends all connections and streams, and closes the database; does nothing when stopped.
  public func stop() async {
    let (servers, core) = memory.withLock { memory in
      guard case .running(let http, let realtime) = memory.state else {
        return (nil, nil) as ((HTTPServer, RealtimeHost)?, BackendCore?)
      }
      memory.state = .changing
      return ((http, realtime), memory.core)
    }
    guard let servers else { return }
    let isFile = configuration.database != nil
    _ = await onQueue {
      core?.operations.close()
      servers.1.stop()
      servers.0.stop()
      // A file is closed, so that another process may open it; memory would be lost.
      if isFile { core?.close() }
    }
    memory.withLock { memory in
      memory.state = .stopped
      if isFile { memory.core = nil }
    }
  }

  /// Stops as an operator wants it: new work is refused, requests in hand are answered, streams
  /// end with UNAVAILABLE and connections with GOAWAY; then as ``stop()``.
  ///
  /// - Parameter limit: what is still in hand after so long is cut off.
  public func stop(within limit: Duration) async {
    let running = memory.withLock { memory -> (RealtimeHost, BackendCore)? in
      guard case .running(_, let realtime) = memory.state, let core = memory.core else {
        return nil
      }
      return (realtime, core)
    }
    guard let (realtime, core) = running else { return }
    let log = core.log(requestID: nil)
    core.operations.lifecycle.stop()
    log("draining", ["in_flight": String(core.operations.lifecycle.inFlight)])
    async let goodbye: Void = realtime.leave(within: limit)
    let isIdle = await onQueue { core.operations.lifecycle.waitUntilIdle(within: limit) }
    await goodbye
    log("stopped", ["clean": (try? isIdle.get()) == true ? "true" : "false"])
    await stop()
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

  private func open() async throws(BackendError) -> BackendPorts {
    let known = memory.withLock { (core: $0.core, ports: $0.ports) }
    let (core, http) = try await onQueue { () throws(BackendError) in
      try self.openHTTP(known.core, port: known.ports?.http)
    }.get()
    do {
      let port = known.ports?.realtime ?? configuration.realtimePort
      let realtime = try await RealtimeHost(core, port: port)
      let ports = BackendPorts(http: http.port, realtime: realtime.port)
      memory.withLock { memory in
        (memory.core, memory.ports) = (core, ports)
        memory.state = .running(http, realtime)
      }
      core.operations.onRealtimeRestart { Task { await realtime.restart() } }
      await beginFaults(core)
      return ports
    } catch {
      _ = await onQueue {
        http.stop()
        if self.configuration.database != nil { core.close() }
      }
      throw error
    }
  }

  /// Lets happen what was asked for from the start.
  private func beginFaults(_ core: BackendCore) async {
    _ = await onQueue {
      for happening in core.operations.faults.takeImmediate() {
        FaultHand(core: core).carryOut(happening, core.log(requestID: nil))
      }
    }
  }

  private func openHTTP(
    _ known: BackendCore?,
    port: UInt16?
  ) throws(BackendError) -> (BackendCore, HTTPServer) {
    let tls: PEMFiles? = if let files = configuration.tls { try PEMFiles(files) } else { nil }
    let core: BackendCore
    if let known {
      core = known
      core.operations.reopen()
    } else {
      let bus = try configuration.bus(time) ?? self.bus
      core = try BackendCore(configuration, time: time, faults: faults, bus: bus)
    }
    do {
      // The realtime server says less about a port in use, so that is found out here.
      let realtime = memory.withLock { $0.ports?.realtime } ?? configuration.realtimePort
      try ListeningSocket(host: configuration.host, port: realtime, option: "--realtime-port")
        .close()
      if configuration.seedsDemoData { try DemoData.seed(core) }
      let server = try HTTPServer(
        host: configuration.host,
        port: port ?? configuration.port,
        tls: tls,
        limits: configuration
      ) { HTTPService(core: core, port: $0) }
      return (core, server)
    } catch {
      if configuration.database != nil { core.close() }
      throw error
    }
  }

  /// Runs what blocks on a thread that is not of Swift's pool.
  private func onQueue<Value: Sendable>(
    _ body: @escaping @Sendable () throws(BackendError) -> Value
  ) async -> Result<Value, BackendError> {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Result(catching: body)) }
    }
  }
}
