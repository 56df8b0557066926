internal import ByteStream
internal import HTTP2
internal import Synchronization

/// The shell around ``ConnectionMachine``: keeps one connection for the calls of a channel.
final class ChannelCore: ConnectionOwner {
  typealias Waiter = OneShot<Result<Connection, GRPCError>>

  struct State {
    var machine: ConnectionMachine
    var connection: Connection?
    /// One that has not said its first word yet.
    var pending: Connection?
    /// Those that take no new calls, and still carry old ones.
    var draining: [ObjectIdentifier: Connection] = [:]
    /// Tells the events of an attempt that was abandoned from those of the present one.
    var attempt = 0
    var task: Task<Void, Never>?
    var waiters: [Int: (waiter: Waiter, waitsForReady: Bool)] = [:]
    var lastWaiter = 0
    var lastFailure = GRPCError(GRPCStatus(.unavailable, "There is no connection."))
    var keepaliveInterval: Duration?
    /// How long the device had slept when that was last looked at.
    var timeAsleep: Duration
  }

  /// Sleep that is long enough for a connection to be in doubt; the clocks differ by less.
  private static let sleepThatCounts = Duration.seconds(1)

  let loop = EventLoop()
  let endpoint: GRPCEndpoint
  let configuration: GRPCChannelConfiguration
  let clock: any GRPCClock
  let broadcast = StateBroadcast(GRPCChannelState.idle)
  let state: Mutex<State>
  let securing: TLSContextCache

  init(
    endpoint: GRPCEndpoint,
    configuration: GRPCChannelConfiguration,
    clock: any GRPCClock
  ) {
    self.endpoint = endpoint
    self.configuration = configuration
    self.clock = clock
    securing = TLSContextCache(endpoint.tls)
    state = Mutex(
      State(
        machine: ConnectionMachine(),
        keepaliveInterval: configuration.keepaliveInterval,
        timeAsleep: clock.timeAsleep
      )
    )
  }

  /// The connection for a new call.
  ///
  /// - Throws: UNAVAILABLE when none can be made and the call does not wait for one, or what the
  ///   call was interrupted with.
  func connection(
    waitsForReady: Bool,
    control: CallControl
  ) async throws(GRPCError) -> Connection {
    noticeSleep()
    if control.reason == nil, let connection = readyConnection { return connection }
    let waiter = Waiter()
    let number = update { state -> (Int, [ConnectionMachine.Effect]) in
      switch state.machine.state {
      case .shutDown: waiter.give(.failure(Self.isShutDown))
      case .ready where state.connection?.isUsable == true:
        if let connection = state.connection { waiter.give(.success(connection)) }
      case .waiting where !waitsForReady: waiter.give(.failure(state.lastFailure))
      default:
        state.lastWaiter += 1
        state.waiters[state.lastWaiter] = (waiter, waitsForReady)
        return (state.lastWaiter, state.machine.wanted())
      }
      return (0, [])
    }
    control.onInterrupt { waiter.give(.failure(GRPCError($0))) }
    let result = await waiter.value
    if number != 0 { state.withLock { _ = $0.waiters.removeValue(forKey: number) } }
    return try result.get()
  }

  /// The connection that most calls find, without anything to wait for.
  private var readyConnection: Connection? {
    state.withLock { state in
      guard case .ready = state.machine.state, let connection = state.connection,
        connection.isUsable
      else { return nil }
      return connection
    }
  }

  func received(_ notice: ConnectionNotice, from connection: Connection) {
    switch notice {
    case .ready: ready(connection)
    case .proved:
      update { state in
        if state.connection === connection { state.machine.proved() }
        return ((), [])
      }
    case .draining(let code, let debugData):
      // RFC 9113 and gRPC's keepalive guide: who is told so pings half as often.
      if code == .enhanceYourCalm, debugData.starts(with: "too_many_pings".utf8) {
        state.withLock { $0.keepaliveInterval = $0.keepaliveInterval.map { $0 * 2 } }
      }
      state.withLock { $0.draining[ObjectIdentifier(connection)] = connection }
      lost(connection, isGoodbye: true)
    case .answered: answered(connection)
    case .idle: idled(connection)
    case .closed(let error):
      state.withLock { _ = $0.draining.removeValue(forKey: ObjectIdentifier(connection)) }
      closed(connection, error)
    }
  }

  func networkDidChange() {
    // The machine knows nothing of these any more.
    let draining = state.withLock { state in
      defer { state.draining = [:] }
      return state.draining.values
    }
    for connection in draining { connection.close("The network is another one.") }
    update { state in ((), state.machine.networkChanged(isWanted: !state.waiters.isEmpty)) }
  }

  func willSuspend() { for connection in connections { connection.suspend() } }

  func didResume() {
    // Timers that came due during the sleep are looked at now, not when the system's wait ends.
    loop.wake()
    let asleep = clock.timeAsleep
    let (current, draining) = state.withLock { ($0.connection, Array($0.draining.values)) }
    let isUsed = current?.resume() ?? false
    for connection in draining where connection.resume() { connection.probe() }
    update { state in
      state.timeAsleep = asleep
      return ((), state.machine.resumed(isWanted: !state.waiters.isEmpty, isUsed: isUsed))
    }
  }

  /// Does what ``didResume()`` does where the device has slept and nobody said so.
  private func noticeSleep() {
    let asleep = clock.timeAsleep
    let hasSlept = state.withLock { state in
      guard asleep - state.timeAsleep > Self.sleepThatCounts else { return false }
      state.timeAsleep = asleep
      return true
    }
    if hasSlept { didResume() }
  }

  /// All that carry calls.
  private var connections: [Connection] {
    state.withLock { [$0.connection].compactMap(\.self) + $0.draining.values }
  }

  func shutDown() {
    let waiters = update { state in
      let waiters = state.waiters.values.map(\.waiter)
      state.waiters = [:]
      return (waiters, state.machine.shutDown())
    }
    for waiter in waiters { waiter.give(.failure(Self.isShutDown)) }
    broadcast.finish(.shutDown)
    loop.stop()
  }

  /// A client's peer opens no streams; nghttp2 refuses the attempt before it comes here.
  func accept(
    _ headers: [HTTP2Header],
    stream: Int32,
    on connection: Connection
  ) -> any StreamHandler {
    RefusedStream()
  }

  static let isShutDown = GRPCError(
    GRPCStatus(.unavailable, "The channel was shut down."),
    cause: nil
  )

  /// Changes the state, publishes it, and carries out what the machine asks for.
  @discardableResult
  func update<Value: Sendable>(
    _ body: (inout State) -> (Value, [ConnectionMachine.Effect])
  ) -> Value {
    let (value, effects) = state.withLock { state in
      let result = body(&state)
      broadcast.publish(GRPCChannelState(state.machine.state))
      return result
    }
    for effect in effects { perform(effect) }
    return value
  }

  private func perform(_ effect: ConnectionMachine.Effect) {
    switch effect {
    case .connect: connect()
    case .wake(let time):
      Task { [weak self, clock] in
        try? await clock.sleep(until: time)
        self?.update { state in
          let isWanted = !state.waiters.isEmpty
          return ((), state.machine.backoffElapsed(at: max(clock.now, time), isWanted: isWanted))
        }
      }
    case .probe: state.withLock { $0.connection }?.probe()
    case .abandon: abandon()
    }
  }

  private func abandon() {
    let (connections, task) = state.withLock { state in
      defer {
        state.connection = nil
        state.pending = nil
        state.draining = [:]
        state.task = nil
        state.attempt += 1
      }
      let current = [state.connection, state.pending].compactMap(\.self)
      return (current + state.draining.values, state.task)
    }
    task?.cancel()
    for connection in connections { connection.close("The connection was given up.") }
  }
}
