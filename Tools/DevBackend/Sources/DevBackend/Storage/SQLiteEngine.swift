internal import Synchronization

/// A SQLite file, or a database in memory: one connection, one transaction at a time.
final class SQLiteEngine: DatabaseEngine {
  let width = 1
  let isShared = false
  private let opened: Mutex<Opened?>

  private struct Opened {
    let connection: any SQLConnection
    // Held for as long as the connection is.
    let lock: DatabaseLock?
  }

  /// Opens the file, or makes it; blocks.
  ///
  /// - Throws: ``BackendError`` where it cannot be opened, or another process has it.
  init(path: String?) throws(BackendError) {
    let lock: DatabaseLock? = if let path { try DatabaseLock(of: path) } else { nil }
    let sqlite = try SQLiteConnection(path: path)
    // A commit is on the disk before its answer leaves: a rotation that was answered and then
    // forgotten would look like theft at the client's next refresh.
    for pragma in ["journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"] {
      try sqlite.run("PRAGMA \(pragma)")
    }
    opened = Mutex(Opened(connection: sqlite, lock: lock))
  }

  func transaction<Result: Sendable>(
    _ body: (any SQLConnection) throws -> Result
  ) throws -> Result {
    try opened.withLock { opened in
      guard let connection = opened?.connection else {
        throw BackendError(.database, "the backend was stopped")
      }
      try connection.run("BEGIN IMMEDIATE")
      do {
        let result = try body(connection)
        try connection.run("COMMIT")
        return result
      } catch {
        // A failed COMMIT may have ended the transaction already; the first error is the one
        // to report.
        _ = try? connection.run("ROLLBACK")
        throw error
      }
    }
  }

  func close() { opened.withLock { $0 = nil } }
}
