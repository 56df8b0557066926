internal import DevBackend
internal import Dispatch
internal import Synchronization

/// The bus of instances on one Redis server: publish and subscribe, and the deny-list.
///
/// Each revocation is also a key, `dev-backend:deny:<sid>`, that lives as long as an access token
/// of its session can: other services that verify tokens themselves ask for it. After each
/// connection they are written again, for Redis may have come back with nothing in it.
final class RedisBus: InstanceBus {
  /// The channel that instances talk on.
  static let channel = "dev-backend:news"
  /// What stands before a session's id in the deny-list.
  static let denyPrefix = "dev-backend:deny:"

  /// How long after one try what Redis did not take is told again.
  private static let pause: Duration = .seconds(1)
  /// So many keys are written with one wait for the answers.
  private static let keysAtOnce = 500
  /// What lies in wait to be published beyond this is left for the others' look at the database.
  private static let longestQueue = 1_000

  private struct State {
    var isOver = false
    /// False while nothing can be told, which is as long as this is deaf.
    var isConnected = false
    var queued = 0
    /// Revocations that Redis has not taken yet.
    var undelivered: [Revoked] = []
    /// The connection that publishes.
    var connection: RedisConnection?
  }

  private let address: RedisAddress
  private let now: @Sendable () -> Int64
  // How long Redis may take for an answer.
  private let limit: Duration
  // Tells this instance's own news from those of others.
  private let name = String(UInt64.random(in: 0...(.max)), radix: 36)
  private let state = Mutex(State())
  private let listener = DispatchQueue(label: "dev-backend.redis.listener")
  private let publisher = BlockingWorkers(label: "dev-backend.redis.publisher", count: 1)

  init(
    _ address: RedisAddress,
    limit: Duration = .seconds(1),
    now: @escaping @Sendable () -> Int64
  ) {
    (self.address, self.limit, self.now) = (address, limit, now)
  }

  func join(_ hear: @escaping @Sendable (InstanceNews) -> Bool) {
    // The first try is made here: who starts while Redis serves is never deaf.
    let first = try? subscribed()
    if first == nil { _ = hear(.deaf) } else { state.withLock { $0.isConnected = !$0.isOver } }
    listener.async { [weak self] in
      var next = first
      var backoff = ReconnectBackoff()
      var hasJoined = false
      while let self, !self.isOver { self.listen(on: &next, &backoff, &hasJoined, hear) }
    }
  }

  func publish(_ news: InstanceNews) {
    let isAccepted = state.withLock { state in
      guard !state.isOver else { return false }
      guard state.isConnected, state.queued < Self.longestQueue else {
        if case .revoked(let sessions) = news { state.undelivered += sessions }
        return false
      }
      state.queued += 1
      return true
    }
    if isAccepted { publisher.enqueue { self.deliver(news) } }
  }

  func restore(_ ended: [Revoked]) {
    guard !ended.isEmpty, !isOver else { return }
    publisher.enqueue {
      var rest = ended[...]
      while !rest.isEmpty, !self.isOver {
        let commands = self.denials(rest.prefix(Self.keysAtOnce))
        guard commands.isEmpty || self.run(commands) else { return self.keep(rest) }
        rest = rest.dropFirst(Self.keysAtOnce)
      }
    }
  }

  func leave() {
    state.withLock { state in
      state.isOver = true
      state.isConnected = false
    }
  }

  private var isOver: Bool { state.withLock(\.isOver) }
}

// MARK: - Hearing

extension RedisBus {
  private func subscribed() throws(RedisError) -> RedisConnection {
    let connection = try RedisConnection(address, limit: limit)
    try connection.run(["SUBSCRIBE", Self.channel])
    return connection
  }

  /// Hears until the connection is lost, or makes one try to get another.
  private func listen(
    on known: inout RedisConnection?,
    _ backoff: inout ReconnectBackoff,
    _ hasJoined: inout Bool,
    _ hear: @Sendable (InstanceNews) -> Bool
  ) {
    do {
      let connection = try known ?? subscribed()
      known = nil
      try welcome(connection, hear)
      backoff.succeeded()
      hasJoined = true
      try receive(from: connection, hear)
    } catch {
      // A connection that breaks is made again at once, and nobody is told where that succeeds; nor
      // is what happens meanwhile kept from the others.
      defer { hasJoined = false }
      if hasJoined || isOver { return }
      state.withLock { $0.isConnected = false }
      _ = hear(.deaf)
      sleep(for: backoff.failed(at: .now, jitter: Double.random(in: 0...1)))
    }
  }

  /// Begins to hear on a connection that has just subscribed.
  private func welcome(
    _ connection: RedisConnection,
    _ hear: @Sendable (InstanceNews) -> Bool
  ) throws(RedisError) {
    // From here on all is heard; what was missed, the database knows, where it can be asked.
    var pings = RedisPings()
    while !hear(.hearing) {
      if isOver { return }
      try exchange(on: connection, &pings, within: .milliseconds(100)) { _ in }
    }
    state.withLock { $0.isConnected = !$0.isOver }
    publishUndelivered()
  }

  private func receive(
    from connection: RedisConnection,
    _ hear: @Sendable (InstanceNews) -> Bool
  ) throws(RedisError) {
    var pings = RedisPings()
    var toldAt = ContinuousClock.now
    while !isOver {
      try exchange(on: connection, &pings, within: .milliseconds(200)) { payload in
        guard let (sender, news) = InstanceNews.parse(payload), sender != self.name else { return }
        _ = hear(news)
      }
      // A server that took nothing for a while need not have broken the connection that hears.
      guard toldAt.duration(to: .now) >= Self.pause else { continue }
      publishUndelivered()
      toldAt = .now
    }
  }

  /// Takes what the server says, if it says something, and asks whether it lives, when it is time.
  private func exchange(
    on connection: RedisConnection,
    _ pings: inout RedisPings,
    within duration: Duration,
    _ take: ([UInt8]) -> Void
  ) throws(RedisError) {
    if let reply = try connection.receive(within: duration) {
      pings.heard(at: .now)
      if case .array(let parts) = reply, parts.count == 3,
        parts[0] == .text(Array("message".utf8)), case .text(let payload) = parts[2]
      {
        take(payload)
      }
    }
    switch pings.next(at: .now) {
    case .wait: return
    case .ping: try connection.send(["PING"])
    case .lost: throw RedisError(message: "Redis does not answer")
    }
  }

  private func sleep(for duration: Duration) {
    let deadline = Deadline(in: duration)
    while !isOver, !deadline.isOver {
      _ = DispatchSemaphore(value: 0)
        .wait(timeout: .now() + .milliseconds(Int(min(deadline.milliseconds, 50))))
    }
  }
}

// MARK: - Telling

extension RedisBus {
  /// Publishes; on the one thread that does so.
  private func deliver(_ news: InstanceNews) {
    defer { state.withLock { $0.queued -= 1 } }
    guard let wire = news.wire(from: name) else { return }
    var commands: [[String]] = []
    if case .revoked(let sessions) = news { commands = denials(sessions[...]) }
    commands.append(["PUBLISH", Self.channel, String(decoding: wire, as: UTF8.self)])
    if run(commands) { return }
    if case .revoked(let sessions) = news { keep(sessions[...]) }
  }

  /// Keeps revocations that Redis did not take, to be told again.
  private func keep(_ sessions: ArraySlice<Revoked>) {
    state.withLock { state in
      let known = Set(state.undelivered.map(\.sessionID))
      state.undelivered += sessions.filter { !known.contains($0.sessionID) }
    }
  }

  /// Tells what Redis did not take before.
  private func publishUndelivered() {
    let undelivered = state.withLock { state in
      defer { state.undelivered = [] }
      return state.undelivered
    }
    for start in stride(from: 0, to: undelivered.count, by: Self.keysAtOnce) {
      publish(.revoked(Array(undelivered[start...].prefix(Self.keysAtOnce))))
    }
  }

  /// What puts sessions on the deny-list, for as long as a token of theirs can be about.
  private func denials(_ sessions: ArraySlice<Revoked>) -> [[String]] {
    let now = now()
    return sessions.filter { $0.accessUntil > now }
      .map { session in
        [
          "SET", Self.denyPrefix + session.sessionID, session.reason.rawValue,
          "PX", String(session.accessUntil - now),
        ]
      }
  }

  /// Sends commands, on the one thread that does so; false where Redis did not take them.
  private func run(_ commands: [[String]]) -> Bool {
    // The connection may be one of before a restart of the server: then a new one is tried.
    for _ in 1...2 {
      do {
        let known = state.withLock { state in
          defer { state.connection = nil }
          return state.connection
        }
        let connection = try known ?? RedisConnection(address, limit: limit)
        try connection.run(all: commands)
        state.withLock { $0.connection = connection }
        return true
      } catch {
        continue
      }
    }
    return false
  }
}
