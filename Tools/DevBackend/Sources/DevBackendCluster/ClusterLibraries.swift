public import DevBackend

extension BackendConfiguration {
  /// Lets this backend use a database server, where ``BackendConfiguration/database`` names one.
  ///
  /// A backend on PostgreSQL then follows the server's clock, as all of its instances do.
  public mutating func linkClusterLibraries() {
    guard database?.contains("://") == true else { return }
    let clock = DatabaseClock(local: self.clock)
    connector = ClusterLibraries(clock: clock)
    self.clock = BackendClock { clock.now }
  }
}

/// PostgreSQL by libpq.
struct ClusterLibraries: ClusterConnector {
  /// What measures the server's clock; nil leaves the configured one alone.
  var clock: DatabaseClock?

  func engine(_ url: String) throws(BackendError) -> any DatabaseEngine {
    guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else {
      throw BackendError(.database, "--database takes a file or postgres://…, not another URL")
    }
    return try PostgreSQLEngine(url: url, clock: clock)
  }
}
