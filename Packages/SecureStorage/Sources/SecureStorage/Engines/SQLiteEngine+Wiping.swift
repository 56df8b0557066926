/// What removes a session where the proper way is barred.
extension SQLiteEngine {
  func overwrite<Result: Sendable>(
    _ body: (any StorageWriter) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try writing { writer throws(StorageError) in
      // Whoever has it open keeps the log, and this store's own connections can do without.
      closeConnections(&writer)
      let connection = try SQLiteConnection(path: files.database, synchronous: .full)
      defer { connection.close() }
      // Alone with the file, SQLite needs no shared memory; and no journal but in memory.
      try connection.execute("PRAGMA locking_mode=EXCLUSIVE")
      var mode: [UInt8] = []
      try connection.run(.journalInMemory) { mode = SQLiteConnection.blob($0) }
      guard mode == Array("memory".utf8) else {
        throw StorageError(
          .busy,
          "There is no room in \(files.directory), and another process has the store open",
          advice: "Make room, or end the other process, and try again."
        )
      }
      let (result, session) = try transaction(on: connection, .full, writer.epoch, body)
      if session.hasChanged { session.runJobs() }
      return result
    }
  }

  /// Wipes the session of a database that cannot be used any more, and keeps what can be read.
  ///
  /// - Parameters:
  ///   - mark: What stands in place of the session.
  ///   - isBusy: Whether the lock was waited for already, in vain.
  /// - Returns: The generation afterwards.
  /// - Throws: `io`, `busy`, `misuse`.
  func salvage(leaving mark: WipedMark, isBusy: Bool) throws(StorageError) -> UInt64 {
    try withoutConnections { () throws(StorageError) in
      let deadline = isBusy ? .milliseconds(50) : deadline
      return try Salvage(files: files, deadline: deadline).wipeSession(leaving: mark)
    }
  }
}
