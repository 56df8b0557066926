/// Opens what several instances share: the seam to libraries that only `dev-backend` links.
package protocol ClusterConnector: Sendable {
  /// Opens the database server of a URL; blocks.
  ///
  /// - Parameters:
  ///   - url: where it is.
  ///   - silence: how long it may say nothing before it is taken for lost.
  /// - Returns: the database.
  /// - Throws: ``BackendError`` where the URL is wrong, or the server cannot be reached.
  func engine(_ url: String, silence: Duration) throws(BackendError) -> any DatabaseEngine

  /// The bus on the Redis server of a URL, which need not be reachable now.
  ///
  /// - Parameters:
  ///   - url: where it is.
  ///   - now: the time that sessions go by, in milliseconds since 1970.
  /// - Returns: the bus.
  /// - Throws: ``BackendError`` where the URL is wrong.
  func bus(
    _ url: String,
    now: @escaping @Sendable () -> Int64
  ) throws(BackendError) -> any InstanceBus

  /// The counts of attempts on the Redis server of a URL, which need not be reachable now.
  ///
  /// - Throws: ``BackendError`` where the URL is wrong.
  func attempts(_ url: String) throws(BackendError) -> any SharedAttempts
}

extension BackendConfiguration {
  /// Opens the database; blocks.
  func engine() throws(BackendError) -> any DatabaseEngine {
    guard let database, database.contains("://") else { return try SQLiteEngine(path: database) }
    guard let connector else {
      throw BackendError(
        .database,
        "this program knows SQLite only; run dev-backend for a database server"
      )
    }
    return try connector.engine(database, silence: databaseTimeout)
  }

  /// Where attempts are counted for all instances together; nil where each counts for itself.
  func sharedAttempts() throws(BackendError) -> (any SharedAttempts)? {
    guard let redis, let connector else { return nil }
    return try connector.attempts(redis)
  }

  /// The bus to other instances; nil where none is wanted.
  func bus(_ time: ServerTime) throws(BackendError) -> (any InstanceBus)? {
    guard let redis else { return nil }
    guard let connector else {
      throw BackendError(.database, "this program knows no Redis; run dev-backend for it")
    }
    return try connector.bus(redis) { time.now }
  }
}
