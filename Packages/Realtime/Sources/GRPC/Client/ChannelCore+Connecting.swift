internal import ByteStream
internal import HTTP2
internal import Synchronization

extension ChannelCore {
  func connect() {
    let attempt = state.withLock { state in
      state.attempt += 1
      return state.attempt
    }
    let task = Task {
      do throws(ByteStreamError) {
        try await open(attempt)
      } catch {
        failed(error, attempt: attempt)
      }
    }
    state.withLock { state in
      // An abandoned attempt finds out by itself.
      if state.attempt == attempt { state.task = task }
    }
  }

  private func open(_ attempt: Int) async throws(ByteStreamError) {
    let deadline = ContinuousClock.now + configuration.connectTimeout
    let context = try await securing.context()
    let socket = try await Connector(loop: loop, tls: context).connect(
      host: endpoint.host,
      port: endpoint.port,
      deadline: deadline
    )
    let interval = state.withLock { $0.keepaliveInterval }
    let connection: Connection
    do throws(HTTP2Error) {
      connection = try Connection(
        socket,
        role: .client,
        configuration: configuration.http2,
        keepalive: KeepaliveMachine.Limits(
          interval: interval,
          timeout: configuration.keepaliveTimeout,
          probeTimeout: configuration.resumeTimeout,
          idleTimeout: configuration.idleTimeout
        ),
        loop: loop,
        owner: self
      )
    } catch {
      throw ByteStreamError(.network, error.message)
    }
    let isPresent = state.withLock { state in
      guard state.attempt == attempt, state.machine.state == .connecting else { return false }
      state.pending = connection
      return true
    }
    guard isPresent else { return connection.close("The attempt was given up.") }
    loop.schedule(at: deadline) { [weak self, weak connection] in
      guard let self, let connection, isPending(connection) else { return }
      connection.close("The server accepted the connection, but says nothing.")
    }
    connection.start()
  }

  private func isPending(_ connection: Connection) -> Bool {
    state.withLock { $0.pending === connection }
  }

  func ready(_ connection: Connection) {
    let waiters = update { state -> ([Waiter], [ConnectionMachine.Effect]) in
      guard state.pending === connection else { return ([], []) }
      state.pending = nil
      state.task = nil
      state.connection = connection
      state.machine.connected(at: clock.now)
      defer { state.waiters = [:] }
      return (state.waiters.values.map(\.waiter), [])
    }
    for waiter in waiters { waiter.give(.success(connection)) }
  }

  func closed(_ connection: Connection, _ error: ByteStreamError) {
    let attempt = state.withLock { state -> Int? in
      guard state.pending === connection else { return nil }
      state.pending = nil
      return state.attempt
    }
    if let attempt { failed(error, attempt: attempt) } else { lost(connection) }
  }

  private func failed(_ error: ByteStreamError, attempt: Int) {
    let failure = GRPCError(
      GRPCStatus(.unavailable, error.message),
      cause: GRPCError.Cause(error.kind)
    )
    let waiters = update { state -> ([Waiter], [ConnectionMachine.Effect]) in
      guard state.attempt == attempt else { return ([], []) }
      state.task = nil
      state.lastFailure = failure
      let effects = state.machine.failed(at: clock.now, chance: .random(in: 0...1))
      // No waiting mends a file that cannot be read.
      let failing = state.waiters.filter { !$0.value.waitsForReady || error.kind == .configuration }
      for number in failing.keys { state.waiters[number] = nil }
      return (failing.values.map(\.waiter), effects)
    }
    for waiter in waiters { waiter.give(.failure(failure)) }
  }

  /// The connection has outlived the app's suspension.
  func answered(_ connection: Connection) {
    let waiters = update { state -> ([Waiter], [ConnectionMachine.Effect]) in
      guard state.connection === connection, state.machine.state == .probing else {
        return ([], [])
      }
      state.machine.answered(at: clock.now)
      defer { state.waiters = [:] }
      return (state.waiters.values.map(\.waiter), [])
    }
    for waiter in waiters { waiter.give(.success(connection)) }
  }

  func idled(_ connection: Connection) {
    update { state -> (Void, [ConnectionMachine.Effect]) in
      guard state.connection === connection else { return ((), []) }
      state.connection = nil
      return ((), state.machine.idled(isWanted: !state.waiters.isEmpty))
    }
  }

  func lost(_ connection: Connection, isGoodbye: Bool = false) {
    update { state -> (Void, [ConnectionMachine.Effect]) in
      guard state.connection === connection else { return ((), []) }
      state.connection = nil
      state.lastFailure = GRPCError(
        GRPCStatus(.unavailable, "The server closed the connection."),
        cause: .network
      )
      let isWanted = !state.waiters.isEmpty
      let chance = Double.random(in: 0...1)
      let effects = state.machine.ended(
        at: clock.now,
        chance: chance,
        isWanted: isWanted,
        isGoodbye: isGoodbye
      )
      return ((), effects)
    }
  }
}

extension GRPCError.Cause {
  fileprivate init(_ kind: ByteStreamError.Kind) {
    self =
      switch kind {
      case .tls: .tls
      case .pinMismatch: .pinMismatch
      case .configuration: .configuration
      case .network, .timeout, .cancelled: .network
      }
  }
}
