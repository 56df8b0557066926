internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// The engine of every store on disk: one SQLite database with a log (WAL), for many processes.
///
/// Readers have a connection of their own and take no lock that a writer holds. Writers and
/// checkpointers of all processes take turns under one file lock, because SQLite before 3.51.3
/// can lose commits otherwise.
final class SQLiteEngine: StorageEngine {
  let files: StoreFiles
  let notes: [StoreNote]
  private let lock: FileLock
  private let generations: GenerationFile
  private let forks = ForkGuard()
  private let deadline: Duration
  private let reader: Mutex<Reader>
  private let writer = Mutex(Writer())
  private let watcher = Mutex<DirectoryWatcher?>(nil)

  private struct Reader {
    var connection: SQLiteConnection?
    var isClosed = false
  }

  private struct Writer {
    var connection: SQLiteConnection?
    var hasWritten = false
    var isClosed = false
  }

  /// Opens or makes the database in a directory.
  ///
  /// The directory is the store's own, and made with mode 0700 where it is missing.
  init(directory: String, lockDeadline: Duration) throws(StorageError) {
    var privacy = PrivateFiles()
    let asked = StoreFiles(directory: directory)
    try privacy.prepareDirectory(asked.directory)
    files = try asked.resolved()
    for path in [files.lock, files.generation, files.log, files.sharedMemory] {
      _ = try privacy.check(path)
    }
    deadline = lockDeadline
    lock = try FileLock(path: files.lock)
    generations = try GenerationFile(path: files.generation)
    if try !privacy.check(files.database) {
      try SQLiteEngine.create(files, lock, generations, deadline)
    }
    notes = privacy.notes
    reader = Mutex(Reader())
  }

  deinit { close() }

  var location: String { files.database }

  var stamp: UInt64 { generations.stamp }

  func size() -> Int { files.size() }

  func read<Result: Sendable>(
    _ body: (any StorageReader) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try forks.check()
    return try reader.withLock { reader throws(StorageError) in
      guard !reader.isClosed else { throw SQLiteEngine.closed(files) }
      let stamp = try liveStamp()
      let connection: SQLiteConnection
      if let open = reader.connection {
        connection = open
      } else {
        connection = try SQLiteConnection(path: files.database)
        reader.connection = connection
      }
      try connection.execute("BEGIN")
      defer { try? connection.execute("COMMIT") }
      return try body(
        SQLiteSession(
          connection,
          path: files.database,
          durable: GenerationFile.generation(of: stamp)
        )
      )
    }
  }

  func write<Result: Sendable>(
    _ body: (any StorageWriter) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try forks.check()
    return try writer.withLock { writer throws(StorageError) in
      guard !writer.isClosed else { throw SQLiteEngine.closed(files) }
      return try lock.withLock(within: deadline) { () throws(StorageError) in
        // Before a connection is made: by now another store may stand at the path.
        _ = try liveStamp()
        let connection: SQLiteConnection
        if let open = writer.connection {
          connection = open
        } else {
          connection = try openWriter()
          writer.connection = connection
        }
        let (result, didCommit, purge) = try transaction(on: connection, body)
        writer.hasWritten = writer.hasWritten || didCommit
        if didCommit { try checkpoint(connection, purge) }
        return result
      }
    }
  }

  func overwrite<Result: Sendable>(
    _ body: (any StorageWriter) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try forks.check()
    return try writer.withLock { writer throws(StorageError) in
      guard !writer.isClosed else { throw SQLiteEngine.closed(files) }
      return try lock.withLock(within: deadline) { () throws(StorageError) in
        _ = try liveStamp()
        // Whoever has it open keeps the log, and this store's own connections can do without.
        reader.withLock { reader in
          reader.connection?.close()
          reader.connection = nil
        }
        writer.connection?.close()
        writer.connection = nil
        let connection = try SQLiteConnection(path: files.database)
        defer { connection.close() }
        // Alone with the file, SQLite needs no shared memory; and no journal but in memory.
        try connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        let mode = try connection.query("PRAGMA journal_mode=MEMORY", []) {
          SQLiteConnection.blob($0, 0)
        }
        guard mode == [Array("memory".utf8)] else {
          throw StorageError(
            .busy,
            "There is no room in \(files.directory), and another process has the store open",
            advice: "Make room, or end the other process, and try again."
          )
        }
        let (result, didCommit, _) = try transaction(on: connection, body)
        // Copies in the pages' gaps go where the rebuilt file fits into the old one.
        if didCommit { try? connection.execute("VACUUM") }
        return result
      }
    }
  }

  func observe(_ changed: @escaping @Sendable () -> Void) {
    watcher.withLock { watcher in
      guard watcher == nil else { return }
      watcher = DirectoryWatcher(files) { [generations] in
        changed()
        return GenerationFile.isSettled(generations.stamp)
      }
    }
  }

  func close() {
    watcher.withLock { watcher in
      watcher?.stop()
      watcher = nil
    }
    let hasWritten = writer.withLock { writer in
      defer { writer.isClosed = true }
      return writer.hasWritten && !writer.isClosed
    }
    // In a forked child the connections are the parent's: they are left alone.
    guard !forks.isInChild else { return }
    if hasWritten {
      writer.withLock { writer in
        // So that the next start has no log to read. Where it cannot be, the log stays.
        try? lock.withLock(within: .milliseconds(200)) { () throws(StorageError) in
          _ = try writer.connection?.checkpoint(truncating: true)
        }
      }
    }
    writer.withLock { writer in
      writer.connection?.close()
      writer.connection = nil
    }
    reader.withLock { reader in
      reader.connection?.close()
      reader = Reader(connection: nil, isClosed: true)
    }
  }
}

extension SQLiteEngine {
  /// The most pages that the log may have before it is moved into the database: 4 MiB.
  private static let pagesInLog = 1000

  /// Up to here rebuilding the file costs some milliseconds: 4 MiB.
  private static let pagesToRebuild: Int64 = 1024

  private static func create(
    _ files: StoreFiles,
    _ lock: FileLock,
    _ generations: GenerationFile,
    _ deadline: Duration
  ) throws(StorageError) {
    try lock.withLock(within: deadline) { () throws(StorageError) in
      if try POSIX.status(files.database) != nil { return }
      guard generations.stamp >> 1 == 0 else {
        throw .damaged("The database \(files.database) is gone, though it was written to")
      }
      // Made before SQLite sees it, so that no umask shows it to others; log and shared
      // memory take its mode.
      let file = try POSIX.openFile(files.database, creating: true)
      closeFile(file)
      try POSIX.syncDirectory(files.directory)
    }
  }

  private func liveStamp() throws(StorageError) -> UInt64 {
    let stamp = generations.stamp
    guard stamp != GenerationFile.retired else {
      throw .misuse(
        "The store in \(files.directory) was set aside while it was open",
        advice: "Open it again: an empty one is in its place."
      )
    }
    return stamp
  }

  private func openWriter() throws(StorageError) -> SQLiteConnection {
    let connection = try SQLiteConnection(path: files.database)
    try connection.execute("PRAGMA journal_mode=WAL")
    return connection
  }

  private func transaction<Result: Sendable>(
    on connection: SQLiteConnection,
    _ body: (any StorageWriter) throws(StorageError) -> Result
  ) throws(StorageError) -> (Result, didCommit: Bool, purge: SQLiteSession.Purge) {
    let durable = GenerationFile.generation(of: try liveStamp())
    try connection.execute("BEGIN IMMEDIATE")
    var isOver = false
    defer { if !isOver { try? connection.execute("ROLLBACK") } }
    let session = try SQLiteSession(connection, path: files.database, durable: durable)
    let result = try body(session)
    guard session.hasChanged else { return (result, false, .none) }
    try session.putGeneration()
    generations.beginCommit(after: session.generation)
    do {
      try connection.execute("COMMIT")
      isOver = true
    } catch {
      // The word stays odd: whether the commit is there is for the database to say.
      throw error
    }
    generations.endCommit(session.nextGeneration)
    for job in session.jobs { job() }
    return (result, true, session.purge)
  }

  private func checkpoint(
    _ connection: SQLiteConnection,
    _ purge: SQLiteSession.Purge
  ) throws(StorageError) {
    if purge > .none {
      // `secure_delete` overwrites a row where it lies, but not the copies that the tree leaves
      // in its pages' gaps when it moves rows from one page to another.
      let pages = try connection.number("PRAGMA page_count") ?? .max
      if purge == .thorough || pages <= SQLiteEngine.pagesToRebuild {
        try connection.execute("VACUUM")
      }
      guard try connection.checkpoint(truncating: true) else {
        throw StorageError(
          .busy,
          "The change is stored, but a reader keeps what was removed in \(files.log)",
          advice: "It goes with the next change."
        )
      }
    } else if connection.pagesInLog > SQLiteEngine.pagesInLog {
      // Where a reader is in the way, the next commit tries again; nothing is lost.
      _ = try connection.checkpoint(truncating: false)
    }
  }

  private static func closed(_ files: StoreFiles) -> StorageError {
    .misuse("The store in \(files.directory) was closed", advice: "Open it again.")
  }
}

/// `close(2)`, which a method of the same name hides.
private func closeFile(_ file: Int32) { _ = close(file) }
