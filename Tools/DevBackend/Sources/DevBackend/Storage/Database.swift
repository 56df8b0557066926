/// The database, whichever engine it runs on.
final class Database: Sendable {
  private let engine: any DatabaseEngine
  private let workers: BlockingWorkers

  /// Whether other instances may change what is in it.
  var isShared: Bool { engine.isShared }

  /// Brings the engine's database up to date; blocks.
  init(_ engine: any DatabaseEngine) throws(BackendError) {
    self.engine = engine
    workers = BlockingWorkers(label: "dev-backend.database", count: engine.width)
    do {
      try engine.transaction { connection in
        try connection.lockSchema()
        try Migrations.apply(to: connection)
      }
    } catch {
      engine.close()
      throw error as? BackendError ?? BackendError(.database, "cannot prepare it: \(error)")
    }
  }

  /// One transaction, on the calling thread, which it blocks; rolled back where the body throws.
  ///
  /// The body may run more than once: see ``DatabaseEngine``.
  func transaction<Result: Sendable>(
    _ body: (any SQLConnection) throws -> Result
  ) throws -> Result {
    try engine.transaction(body)
  }

  /// The same for callers that must not block.
  func perform<Result: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      workers.enqueue {
        continuation.resume(with: Swift.Result { try self.transaction(body) })
      }
    }
  }

  /// Closes it, whoever still holds this object, so that another may open a file; blocks.
  func close() { engine.close() }
}
