internal import Synchronization

/// Commits on threads that must not be blocked.
extension SQLiteEngine {
  func write<Result: Sendable>(
    _ body: (any StorageWriter) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try write(toAnyFormat: false, body)
  }

  func writeAtOnce<Result: Sendable>(
    _ body: (any StorageWriter) throws(StorageError) -> Result?
  ) throws(StorageError) -> (result: Result, isFinished: Bool)? {
    guard durability == .normal else { return nil }
    try forks.check()
    return try writer.withLockIfAvailable { writer throws(StorageError) in
      // The first write opens the database; and where it was closed, the long way says so.
      guard !writer.isClosed, let connection = writer.connection else { return nil }
      return try writer.lock.withLockIfFree { () throws(StorageError) in
        guard isUndisturbed(writer) else { return nil }
        return try commitAtOnce(on: connection, &writer, body)
      } ?? nil
    } ?? nil
  }

  func finishWriting() throws(StorageError) {
    try writing { writer throws(StorageError) in
      try tidy(connection(of: &writer), &writer)
    }
  }

  private func commitAtOnce<Result: Sendable>(
    on connection: SQLiteConnection,
    _ writer: inout Writer,
    _ body: (any StorageWriter) throws(StorageError) -> Result?
  ) throws(StorageError) -> (result: Result, isFinished: Bool)? {
    var hasBegun = false
    connection.setWaiting(false)
    defer { connection.setWaiting(true) }
    do throws(StorageError) {
      let (result, session) = try transaction(on: connection, durability, writer.epoch) {
        session throws(StorageError) in
        hasBegun = true
        return try body(session)
      }
      guard let result else { return nil }
      let isFinishing = try hasLeftover(session)
      guard session.hasChanged || isFinishing else { return (result, true) }
      writer.hasWritten = true
      writer.mustPurge = writer.mustPurge || session.purges || isFinishing
      session.runJobs()
      return (result, !writer.mustPurge && !isLong(connection))
    } catch {
      if error.code == .damaged { writer.connection = nil }
      if error.code == .busy, !hasBegun { return nil }
      throw error
    }
  }
}
