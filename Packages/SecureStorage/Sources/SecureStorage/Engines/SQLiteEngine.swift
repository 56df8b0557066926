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
  private let generations: GenerationFile
  let forks = ForkGuard()
  let deadline: Duration
  let durability: Durability
  private let reader: Mutex<Reader>
  let writer: Mutex<Writer>
  private let watcher = Mutex<DirectoryWatcher?>(nil)

  private struct Reader {
    var connection: SQLiteConnection?
    var isClosed = false
  }

  struct Writer {
    var lock: FileLock
    /// The epoch that the lock and the connection are of.
    var epoch: UInt64
    var connection: SQLiteConnection?
    var hasWritten = false
    var isClosed = false
    /// Whether a commit has left to be overwritten what it removed.
    var mustPurge = false
  }

  /// Opens or makes the database in a directory.
  ///
  /// The directory is the store's own, and made with mode 0700 where it is missing.
  init(
    directory: String,
    lockDeadline: Duration,
    durability: Durability = .full
  ) throws(StorageError) {
    var privacy = PrivateFiles()
    let asked = StoreFiles(directory: directory)
    try privacy.prepareDirectory(asked.directory)
    files = try asked.resolved()
    for path in [files.lock, files.generation, files.log, files.sharedMemory] {
      _ = try privacy.check(path)
    }
    deadline = lockDeadline
    self.durability = durability
    generations = try GenerationFile(path: files.generation)
    let epoch = generations.epoch
    let lock = try FileLock(path: files.lock)
    let swap = DatabaseSwap(files: files)
    if try swap.isPending {
      try lock.withLock(within: deadline) { () throws(StorageError) in try swap.settle() }
    }
    if try !privacy.check(files.database) {
      try SQLiteEngine.create(files, lock, generations, deadline)
    }
    notes = privacy.notes
    reader = Mutex(Reader())
    writer = Mutex(Writer(lock: lock, epoch: epoch))
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
      let isKnown = reader.connection != nil
      do throws(StorageError) {
        return try reading(&reader, body)
      } catch {
        guard error.code == .damaged else { throw error }
        // Another database may have taken the place of this one.
        reader.connection = nil
        guard isKnown else { throw error }
      }
      return try reading(&reader, body)
    }
  }

  private func reading<Result: Sendable>(
    _ reader: inout Reader,
    _ body: (any StorageReader) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    // Both before the state is read, which may then only be newer.
    let durable = generations.durable
    let last = GenerationFile.generation(of: try liveStamp())
    let connection: SQLiteConnection
    if let open = reader.connection {
      connection = open
    } else {
      connection = try SQLiteConnection(path: files.database, synchronous: nil)
      reader.connection = connection
    }
    try connection.run(.begin)
    defer { try? connection.run(.commit) }
    let session = try SQLiteSession(connection, path: files.database, durable: durable, last: last)
    return try body(session)
  }

  /// Writes, also where the header has the number of a format that this build does not know.
  func write<Result: Sendable>(
    toAnyFormat: Bool,
    _ body: (any StorageWriter) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try writing { writer throws(StorageError) in
      let connection = try connection(of: &writer)
      if toAnyFormat { connection.isKnownStore = true }
      defer { if toAnyFormat { connection.isKnownStore = false } }
      let (result, session) = try transaction(on: connection, durability, writer.epoch, body)
      let isFinishing = try hasLeftover(session)
      guard session.hasChanged || isFinishing else { return result }
      writer.hasWritten = true
      writer.mustPurge = writer.mustPurge || session.purges || isFinishing
      session.runJobs()
      try tidy(connection, &writer)
      return result
    }
  }

  /// A process that was killed in a commit may have been killed while it put another database in
  /// place, which then is the store's.
  private func settleSwap(_ writer: inout Writer) throws(StorageError) {
    let swap = DatabaseSwap(files: files)
    guard try swap.isPending else { return }
    closeConnections(&writer)
    try swap.settle()
  }

  /// Runs `body` while no other writer or checkpointer does anything.
  func writing<Result: Sendable>(
    _ body: (inout Writer) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try forks.check()
    return try writer.withLock { writer throws(StorageError) in
      guard !writer.isClosed else { throw SQLiteEngine.closed(files) }
      if writer.epoch != generations.epoch { try renewLock(&writer) }
      do throws(StorageError) {
        return try locked(&writer, body)
      } catch {
        // The lock was replaced while we waited for it.
        guard error.code == .misuse, writer.epoch != generations.epoch else { throw error }
        try renewLock(&writer)
        return try locked(&writer, body)
      }
    }
  }

  private func locked<Result: Sendable>(
    _ writer: inout Writer,
    _ body: (inout Writer) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try writer.lock.withLock(within: deadline) { () throws(StorageError) in
      // Before a connection is made: by now another store may stand at the path.
      if !GenerationFile.isSettled(try liveStamp()) { try settleSwap(&writer) }
      do throws(StorageError) {
        return try body(&writer)
      } catch {
        guard error.code == .damaged else { throw error }
        writer.connection = nil
        // Files that were overwritten when others took their place are no damage.
        throw writer.epoch == generations.epoch ? error : passedOver
      }
    }
  }

  /// Goes on with what has come into the place of lock and database.
  private func renewLock(_ writer: inout Writer) throws(StorageError) {
    closeConnections(&writer)
    writer.epoch = generations.epoch
    writer.lock = try FileLock(path: files.lock)
  }

  func closeConnections(_ writer: inout Writer) {
    reader.withLock { reader in
      reader.connection?.close()
      reader.connection = nil
    }
    writer.connection?.close()
    writer.connection = nil
  }

  /// Runs `body` while this engine has no file of the database open.
  func withoutConnections<Result: Sendable>(
    _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try forks.check()
    return try writer.withLock { writer throws(StorageError) in
      guard !writer.isClosed else { throw SQLiteEngine.closed(files) }
      return try reader.withLock { reader throws(StorageError) in
        // The next call opens what is there then.
        reader.connection?.close()
        writer.connection?.close()
        (reader.connection, writer.connection) = (nil, nil)
        return try body()
      }
    }
  }

  func observe(_ changed: @escaping @Sendable () -> Void) {
    watcher.withLock { watcher in
      guard watcher == nil else { return }
      watcher = DirectoryWatcher(files) { [generations] in
        generations.listen()
        changed()
        return GenerationFile.isSettled(generations.stamp)
      }
      generations.listen()
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
        try? writer.lock.withLock(within: .milliseconds(200)) { () throws(StorageError) in
          guard let connection = writer.connection, writer.epoch == generations.epoch else {
            return
          }
          let before = GenerationFile.generation(of: generations.stamp)
          if try connection.checkpoint(truncating: true) { generations.setDurable(before) }
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
  ///
  /// More of them would spare syncs, but SQLite finds a page's last version among those before it
  /// one by one.
  private static let mostPagesInLog = 1000

  func liveStamp() throws(StorageError) -> UInt64 {
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
    let connection = try SQLiteConnection(
      path: files.database,
      synchronous: durability == .full ? .full : .normal
    )
    try connection.execute("PRAGMA journal_mode=WAL")
    return connection
  }

  func connection(of writer: inout Writer) throws(StorageError) -> SQLiteConnection {
    if let open = writer.connection { return open }
    let connection = try openWriter()
    writer.connection = connection
    return connection
  }

  /// Whether nothing is to be put right under the lock before it is written.
  func isUndisturbed(_ writer: Writer) -> Bool {
    GenerationFile.isSettled(generations.stamp) && generations.epoch == writer.epoch
  }

  /// Whether a transaction that has changed nothing is to see to it that nothing is left of what
  /// was removed before: as long as there is a log, there may be.
  func hasLeftover(_ session: SQLiteSession) throws(StorageError) -> Bool {
    guard session.finishesPurge, !session.hasChanged else { return false }
    return try POSIX.status(files.log).map { $0.st_size > 0 } ?? false
  }

  func isLong(_ connection: SQLiteConnection) -> Bool {
    connection.pagesInLog > SQLiteEngine.mostPagesInLog
  }

  /// - Returns: The session too, for what is to be done after its commit, if there was one.
  func transaction<Result: Sendable>(
    on connection: SQLiteConnection,
    _ durability: Durability,
    _ epoch: UInt64,
    _ body: (any StorageWriter) throws(StorageError) -> Result
  ) throws(StorageError) -> (Result, SQLiteSession) {
    let last = GenerationFile.generation(of: try liveStamp())
    try connection.beginWriting()
    var isOver = false
    defer { if !isOver { try? connection.run(.rollback) } }
    let session = try SQLiteSession(
      connection,
      path: files.database,
      durable: generations.durable,
      last: last,
      sync: { () throws(StorageError) in
        if durability != .full { try self.syncLog() }
      }
    )
    let result = try body(session)
    guard session.hasChanged else { return (result, session) }
    try session.putGeneration()
    guard generations.epoch == epoch else { throw passedOver }
    generations.beginCommit(after: session.nextGeneration - 1)
    connection.lastCommit = nil
    // Where this fails the word stays odd: whether the commit is there is for the database to
    // say.
    try connection.run(.commit)
    isOver = true
    connection.lastCommit = SQLiteConnection.Commit(
      generation: session.nextGeneration,
      version: connection.version
    )
    if durability == .full { generations.setDurable(session.nextGeneration) }
    generations.endCommit(session.nextGeneration)
    // Committed to files that are nobody's any more.
    guard generations.epoch == epoch else { throw passedOver }
    return (result, session)
  }

  /// Makes every commit so far durable.
  private func syncLog() throws(StorageError) {
    let generation = GenerationFile.generation(of: generations.stamp)
    // Not the database: closing a second descriptor of that one would drop SQLite's locks.
    let file = try POSIX.openFile(files.log, creating: false)
    defer { closeFile(file) }
    guard fsync(file) == 0 else { throw POSIX.failure("cannot sync", files.log) }
    generations.setDurable(generation)
  }

  /// Empties a log that has grown too long, or that holds what was removed.
  func tidy(_ connection: SQLiteConnection, _ writer: inout Writer) throws(StorageError) {
    let purging = writer.mustPurge
    guard purging || isLong(connection) else { return }
    // Whatever comes of it: the next change that purges does so for this one, too.
    writer.mustPurge = false
    let generation = GenerationFile.generation(of: generations.stamp)
    let isDone = try connection.checkpoint(truncating: purging)
    if isDone { generations.setDurable(generation) }
    guard purging else {
      // Where a reader is in the way, the next commit tries again; nothing is lost.
      return
    }
    connection.forgetPages()
    guard isDone else {
      throw StorageError(
        .busy,
        "The change is stored, but a reader keeps what was removed in \(files.log)",
        advice: "It goes with the next change."
      )
    }
  }
}

/// `close(2)`, which a method of the same name hides.
private func closeFile(_ file: Int32) { _ = close(file) }
