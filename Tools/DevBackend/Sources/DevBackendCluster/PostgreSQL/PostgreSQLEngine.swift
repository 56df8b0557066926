internal import DevBackend
internal import Dispatch
internal import Synchronization

/// A PostgreSQL database that instances share, by a pool of connections.
///
/// Transactions run at READ COMMITTED: what a decision rests on is read with a row lock. One that
/// another got in the way of, or whose connection was lost before the commit, is run again.
final class PostgreSQLEngine: DatabaseEngine {
  /// How many connections there are at most.
  static let defaultWidth = 8

  /// How long a statement may take, and how long a caller waits for a connection; longer where the
  /// server may say nothing for longer.
  static let defaultLimit: Duration = .seconds(5)

  /// So often a transaction is tried; the last error is the caller's then.
  private static let attempts = 10

  let width: Int
  let isShared = true
  private let url: String
  private let patience: Patience
  private let pulse = ServerPulse()
  private let clock: DatabaseClock?
  private let pool: Mutex<Pool>
  // One permit for each connection, in use or not made yet.
  private let permits: DispatchSemaphore

  private struct Pool {
    var idle: [PostgreSQLConnection] = []
    var backoff = ReconnectBackoff()
    /// Whether one tries whether a server that was lost is back; the others do not wait for it.
    var isTrying = false
    var isClosed = false
  }

  /// Connects once, to find out whether the URL is right; blocks.
  ///
  /// - Throws: ``BackendError`` where the server cannot be reached.
  init(
    url: String,
    width: Int = defaultWidth,
    limit: Duration = defaultLimit,
    silence: Duration = defaultLimit,
    clock: DatabaseClock? = nil
  ) throws(BackendError) {
    (self.url, self.clock) = (url, clock)
    patience = Patience(limit: max(limit, silence), silence: silence)
    self.width = max(1, width)
    permits = DispatchSemaphore(value: self.width)
    pool = Mutex(Pool())
    give(back: try connect())
  }

  func transaction<Result: Sendable>(
    _ body: (any SQLConnection) throws -> Result
  ) throws -> Result {
    guard
      permits.wait(timeout: .now() + .seconds(Int(patience.limit.components.seconds)))
        == .success
    else { throw BackendError(.database, "all connections to PostgreSQL are busy") }
    defer { permits.signal() }
    for attempt in 1...Self.attempts {
      let connection = try take()
      do {
        clock?.follow(connection)
        try connection.begin()
        let result = try body(connection)
        try connection.commit()
        give(back: connection)
        return result
      } catch {
        guard try retries(connection, after: attempt) else { throw error }
      }
    }
    throw BackendError(.database, "PostgreSQL is too busy with the same rows")
  }

  func close() {
    let connections = pool.withLock { pool in
      defer { pool.idle = [] }
      pool.isClosed = true
      return pool.idle
    }
    // Outside the lock: each says goodbye to the server.
    _ = consume connections
  }

  /// Ends a failed attempt; whether another may be made.
  private func retries(_ connection: PostgreSQLConnection, after attempt: Int) throws -> Bool {
    let fault = connection.fault
    let wasCommitting = connection.isCommitting
    if fault != .lost, fault != .silent { _ = try? connection.run("ROLLBACK") }
    give(back: connection)
    switch fault {
    case .conflict: return attempt < Self.attempts
    // What became of a commit whose answer was lost nobody knows: the caller is told to ask again,
    // and a refresh that comes again is known by its attempt.
    case .lost where wasCommitting: return false
    case .lost:
      dropIdle()
      return attempt <= 2
    case .silent:
      // Another connection would wait as long again; whoever comes next tries it.
      pool.withLock { _ = $0.backoff.failed(at: .now, jitter: Double.random(in: 0...1)) }
      dropIdle()
      return false
    case .refused, nil: return false
    }
  }

  /// The others of before the server was lost are no better.
  private func dropIdle() {
    let others = pool.withLock { pool in
      defer { pool.idle = [] }
      return pool.idle
    }
    _ = consume others
  }

  private func take() throws(BackendError) -> PostgreSQLConnection {
    let known = pool.withLock { pool in (pool.idle.popLast(), pool.isClosed) }
    guard !known.1 else { throw BackendError(.database, "the backend was stopped") }
    if let connection = known.0 { return connection }
    let mayTry = pool.withLock { pool in
      guard pool.backoff.mayTry(at: .now), !pool.isTrying else { return false }
      pool.isTrying = pool.backoff.hasFailed
      return true
    }
    guard mayTry else { throw BackendError(.database, "PostgreSQL cannot be reached") }
    return try connect()
  }

  private func give(back connection: PostgreSQLConnection) {
    guard connection.isIdle else { return }
    pool.withLock { pool in
      if !pool.isClosed { pool.idle.append(connection) }
    }
  }

  private func connect() throws(BackendError) -> PostgreSQLConnection {
    do {
      let connection = try PostgreSQLConnection(url: url, patience: patience, pulse: pulse)
      pool.withLock { pool in
        pool.isTrying = false
        pool.backoff.succeeded()
      }
      return connection
    } catch {
      pool.withLock { pool in
        pool.isTrying = false
        _ = pool.backoff.failed(at: .now, jitter: Double.random(in: 0...1))
      }
      throw error
    }
  }
}
