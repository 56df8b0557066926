internal import Dispatch
internal import Synchronization

/// The one writer: every statement goes through one connection, one transaction at a time.
final class Database: Sendable {
  /// The file, or nil in memory.
  let path: String?
  private let opened: Mutex<Opened?>
  // Blocking work of callers on Swift's pool is done here.
  private let queue = DispatchQueue(label: "dev-backend.database")

  private struct Opened {
    let connection: any SQLConnection
    // Held for as long as the connection is.
    let lock: DatabaseLock?
  }

  /// Opens (and makes or migrates) the database; blocks.
  init(path: String?) throws(BackendError) {
    self.path = path
    let lock: DatabaseLock? = if let path { try DatabaseLock(of: path) } else { nil }
    let sqlite = try SQLiteConnection(path: path)
    // A commit is on the disk before its answer leaves: a rotation that was answered and then
    // forgotten would look like theft at the client's next refresh.
    for pragma in ["journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"] {
      try sqlite.run("PRAGMA \(pragma)")
    }
    try Migrations.apply(to: sqlite)
    opened = Mutex(Opened(connection: sqlite, lock: lock))
  }

  /// One transaction, on the calling thread, which it blocks; rolled back where the body throws.
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

  /// The same for callers that must not block.
  func perform<Result: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(with: Swift.Result { try self.transaction(body) })
      }
    }
  }

  /// Closes the file, whoever still holds this object, so that another may open it; blocks.
  func close() { opened.withLock { $0 = nil } }
}
