public import DevBackend

extension BackendConfiguration {
  /// Lets this backend use a database server and Redis, where the configuration names them.
  ///
  /// A backend on PostgreSQL then follows the server's clock, as all of its instances do.
  public mutating func linkClusterLibraries() {
    let isShared = database?.contains("://") == true
    let clock = isShared ? DatabaseClock(local: self.clock) : nil
    connector = ClusterLibraries(clock: clock)
    if let clock { self.clock = BackendClock { clock.now } }
  }
}

/// PostgreSQL by libpq, and Redis by hiredis.
struct ClusterLibraries: ClusterConnector {
  /// What measures the database server's clock; nil leaves the configured one alone.
  var clock: DatabaseClock?
  /// How long Redis may take for an answer; nil leaves it to what is asked.
  var redisLimit: Duration?

  func engine(
    _ url: String,
    silence: Duration
  ) throws(BackendError) -> any DatabaseEngine {
    guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else {
      throw BackendError(.database, "--database takes a file or postgres://…, not another URL")
    }
    return try PostgreSQLEngine(url: url, silence: silence, clock: clock)
  }

  func bus(
    _ url: String,
    now: @escaping @Sendable () -> Int64
  ) throws(BackendError) -> any InstanceBus {
    let address = try Self.address(url)
    guard let redisLimit else { return RedisBus(address, now: now) }
    return RedisBus(address, limit: redisLimit, now: now)
  }

  func attempts(_ url: String) throws(BackendError) -> any SharedAttempts {
    let address = try Self.address(url)
    return redisLimit.map { RedisAttempts(address, limit: $0) } ?? RedisAttempts(address)
  }

  private static func address(_ url: String) throws(BackendError) -> RedisAddress {
    if url.hasPrefix("rediss://") {
      throw BackendError(.database, "--redis \(RedisScheme.noTLS)")
    }
    guard let address = RedisAddress(url) else {
      throw BackendError(
        .database,
        "--redis takes redis://USER:PASSWORD@HOST:PORT/NUMBER, of which all but the host may be left out"
      )
    }
    return address
  }
}
