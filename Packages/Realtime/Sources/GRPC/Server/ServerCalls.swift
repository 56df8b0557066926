internal import ByteStream
internal import HTTP2
internal import Synchronization

/// The connections and calls of a server.
final class ServerCalls: ConnectionOwner {
  private struct State {
    var connections: [ObjectIdentifier: Connection] = [:]
    var isDraining = false
    var drained: [CheckedContinuation<Void, Never>] = []

    mutating func takeDrained() -> [CheckedContinuation<Void, Never>] {
      guard connections.isEmpty else { return [] }
      defer { drained = [] }
      return drained
    }
  }

  private let handlers: [String: GRPCHandler]
  private let fallback: GRPCHandler?
  private let configuration: GRPCServerConfiguration
  private let loop: EventLoop
  private let state = Mutex(State())

  init(
    handlers: [String: GRPCHandler],
    fallback: GRPCHandler?,
    configuration: GRPCServerConfiguration,
    loop: EventLoop
  ) {
    self.handlers = handlers
    self.fallback = fallback
    self.configuration = configuration
    self.loop = loop
  }

  func add(_ connection: Connection) {
    let isDraining = state.withLock { state in
      state.connections[ObjectIdentifier(connection)] = connection
      return state.isDraining
    }
    if isDraining { return connection.close("The server stops.") }
    connection.start()
  }

  func accept(
    _ headers: [HTTP2Header],
    stream: Int32,
    on connection: Connection
  ) -> any StreamHandler {
    do throws(ServerRequest.Refusal) {
      let request = try ServerRequest(headers)
      guard let handler = handlers[request.path] ?? fallback else {
        throw .grpc(GRPCStatus(.unimplemented, "\(request.path) is not served here."))
      }
      return start(handler, request, stream, connection)
    } catch {
      refuse(error, stream, connection)
      return RefusedStream()
    }
  }

  func received(_ notice: ConnectionNotice, from connection: Connection) {
    guard case .closed = notice else { return }
    let drained = state.withLock { state in
      state.connections[ObjectIdentifier(connection)] = nil
      return state.takeDrained()
    }
    for waiter in drained { waiter.resume() }
  }

  func closeAll(_ reason: String) {
    let connections = state.withLock { state in
      state.isDraining = true
      return Array(state.connections.values)
    }
    for connection in connections { connection.close(reason) }
  }

  /// Says goodbye to every client and waits until they are gone.
  func drain() async {
    let connections = state.withLock { state in
      state.isDraining = true
      return Array(state.connections.values)
    }
    for connection in connections { connection.drain() }
    await withCheckedContinuation { continuation in
      let waiters = state.withLock { state in
        state.drained.append(continuation)
        return state.takeDrained()
      }
      for waiter in waiters { waiter.resume() }
    }
  }

  /// Runs the handler in a task that is cancelled with the call.
  ///
  /// The connection's lock is held here, and the task takes it only after.
  private func start(
    _ handler: GRPCHandler,
    _ request: ServerRequest,
    _ stream: Int32,
    _ connection: Connection
  ) -> GRPCServerCall {
    let call = GRPCServerCall(
      request,
      stream: stream,
      connection: connection,
      configuration: configuration,
      now: ContinuousClock.now
    )
    let timer = call.deadline.map { deadline in
      loop.schedule(at: deadline) { [weak call] in call?.expire() }
    }
    let task = Task { [loop] in
      var status = GRPCStatus.ok
      do {
        try await handler.run(call)
      } catch {
        status = Self.status(of: error)
      }
      if let timer { loop.cancel(timer) }
      call.finish(status)
    }
    let isOver = call.state.withLock { state in
      state.task = task
      return state.closure != nil
    }
    if isOver { task.cancel() }
    return call
  }

  private func refuse(_ refusal: ServerRequest.Refusal, _ stream: Int32, _ connection: Connection) {
    let headers =
      switch refusal {
      case .http(let status): [HTTP2Header(":status", String(status))]
      case .grpc(let status): ServerAnswer.trailersOnly(status, GRPCMetadata())
      }
    // The connection's lock is held here.
    Task { connection.respondOnly(headers, stream: stream) }
  }

  private static func status(of error: any Error) -> GRPCStatus {
    switch error {
    case let status as GRPCStatus: status
    case is CancellationError: GRPCStatus(.cancelled, "The call was cancelled.")
    default: GRPCStatus(.unknown, "The server failed.")
    }
  }
}

extension GRPCServerCall {
  /// The deadline has passed: the client is told, and the handler cancelled.
  fileprivate func expire() {
    finish(GRPCStatus(.deadlineExceeded, "The deadline has passed."))
    abandon(GRPCStatus(.deadlineExceeded, "The deadline has passed."))
  }
}
