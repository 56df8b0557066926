/// Opens what several instances share: the seam to libraries that only `dev-backend` links.
package protocol ClusterConnector: Sendable {
  /// Opens the database server of a URL; blocks.
  ///
  /// - Throws: ``BackendError`` where the URL is wrong, or the server cannot be reached.
  func engine(_ url: String) throws(BackendError) -> any DatabaseEngine
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
    return try connector.engine(database)
  }
}
