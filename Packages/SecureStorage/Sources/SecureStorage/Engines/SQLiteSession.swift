/// What a transaction sees and does; valid during one call of the engine only.
final class SQLiteSession: StorageWriter {
  private let connection: SQLiteConnection
  private let sync: () throws(StorageError) -> Void
  private let last: UInt64
  private(set) var isInitialised: Bool
  private(set) var generation: UInt64 = 0
  private(set) var isOwn = false
  private(set) var hasChanged = false
  private(set) var purges = false
  private(set) var finishesPurge = false
  private var jobs: [@Sendable (any StorageWriter) -> Void] = []

  static let schema = """
    CREATE TABLE rows(space INTEGER NOT NULL, name BLOB NOT NULL, value BLOB NOT NULL,
      PRIMARY KEY(space, name)) WITHOUT ROWID
    """

  /// Looks at the database's state, inside a transaction that the caller has begun.
  ///
  /// - Parameters:
  ///   - connection: Inside the transaction.
  ///   - path: For messages.
  ///   - durable: The generation that the database must have reached.
  ///   - last: The generation that it had at last, which a power cut may have undone.
  ///   - sync: Makes durable what was committed.
  /// - Throws: `damaged`, `newerFormat`, `io`, `busy`.
  init(
    _ connection: SQLiteConnection,
    path: String,
    durable: UInt64,
    last: UInt64,
    sync: @escaping () throws(StorageError) -> Void = {}
  ) throws(StorageError) {
    self.connection = connection
    self.sync = sync
    self.last = GenerationFile.believed(last)
    isInitialised = true
    if !connection.isKnownStore {
      isInitialised = try SQLiteSession.isStore(connection, path, isNew: durable == 0 && last == 0)
      guard isInitialised else { return }
      connection.isKnownStore = true
    }
    if let commit = connection.lastCommit, commit.version == connection.version {
      // The pages in memory are still those of that commit.
      generation = commit.generation
      isOwn = true
    } else {
      generation = try storedGeneration(path)
    }
    guard generation >= durable else {
      throw .damaged(
        "\(path) is older than its last commit (generation \(generation), not \(durable)): "
          + "an old copy was put back, or its log is missing"
      )
    }
  }

  private func storedGeneration(_ path: String) throws(StorageError) -> UInt64 {
    let found = try sound(.generation) { row in
      var reader = ByteReader(Checksummed.payload(of: row) ?? [])
      return reader.number(UInt64.self).flatMap { $0 < 1 << 60 ? $0 : nil }
    }
    guard case .sound(let generation) = found else {
      throw .damaged("The generation of \(path) is missing or damaged")
    }
    return generation
  }

  /// The mark of a wiped session, whatever else is wrong with a database.
  static func wipedMark(
    on connection: SQLiteConnection
  ) throws(StorageError) -> WipedMark? {
    for space in StoreNamespace.session.spaces {
      var isEmpty = true
      try connection.run(.names, space: space) { _ in isEmpty = false }
      guard isEmpty else { return nil }
    }
    let name = RowName.wipedMark(of: .session)
    for name in [name, name.copy] {
      var mark: WipedMark?
      try connection.run(.select, space: name.space, name: name.bytes) {
        mark = WipedMark(framed: SQLiteConnection.blob($0))
      }
      if let mark { return mark }
    }
    return nil
  }

  /// Whether there is a store; throws where there is something else.
  private static func isStore(
    _ connection: SQLiteConnection,
    _ path: String,
    isNew: Bool
  ) throws(StorageError) -> Bool {
    let application = try connection.number(.applicationID) ?? 0
    let version = try connection.number(.userVersion) ?? 0
    if application == 0, version == 0, isNew, try connection.number(.countTables) == 0 {
      return false
    }
    guard application == Int64(StoreFormat.applicationID), version > 0 else {
      throw .damaged("\(path) is not a store, or its header is damaged")
    }
    let known = StoreFormat.version
    guard version <= Int64(known) else {
      throw .newerHeader("\(path) has format \(version); this build knows up to \(known)")
    }
    return true
  }

  /// A number that was given before is not given again, whatever became of its commit: readers
  /// may have seen it.
  var nextGeneration: UInt64 { max(generation, last) + 1 }

  func row(_ name: RowName) throws(StorageError) -> [UInt8]? {
    guard isInitialised else { return nil }
    var row: [UInt8]?
    try connection.run(.select, space: name.space, name: name.bytes) {
      row = SQLiteConnection.blob($0)
    }
    return row
  }

  func rows(
    in space: UInt8,
    from first: [UInt8],
    upTo end: [UInt8]?,
    _ body: (_ name: [UInt8], _ row: [UInt8]) -> Void
  ) throws(StorageError) {
    guard isInitialised else { return }
    let which = end == nil ? SQLiteStatement.rowsToTheEnd : .rows
    try connection.run(which, space: space, name: first, value: end) {
      body(SQLiteConnection.blob($0), SQLiteConnection.blob($0, 1))
    }
  }

  func names(in space: UInt8) throws(StorageError) -> [RowName] {
    guard isInitialised else { return [] }
    var names: [RowName] = []
    try connection.run(.names, space: space) {
      names.append(RowName(space: space, bytes: SQLiteConnection.blob($0)))
    }
    return names
  }

  func put(_ name: RowName, _ bytes: [UInt8]) throws(StorageError) {
    try initialise()
    hasChanged = true
    // Most rows are there already, and an upsert would look for them twice; one that replaces
    // moves a row that stands in an inner page of the tree.
    try connection.run(.update, space: name.space, name: name.bytes, value: bytes)
    if connection.changes > 0 { return }
    try connection.run(.insert, space: name.space, name: name.bytes, value: bytes)
  }

  func remove(_ name: RowName) throws(StorageError) {
    guard isInitialised else { return }
    hasChanged = true
    try connection.run(.remove, space: name.space, name: name.bytes)
  }

  func removeAll(in space: UInt8) throws(StorageError) {
    guard isInitialised else { return }
    hasChanged = true
    try connection.run(.removeAll, space: space)
  }

  func purgeAfterCommit() { purges = true }

  func finishPurge() { finishesPurge = true }

  func makeDurable() throws(StorageError) { try sync() }

  func afterCommit(_ job: @escaping @Sendable (any StorageWriter) -> Void) { jobs.append(job) }

  /// Runs what waited for the commit.
  func runJobs() {
    for job in jobs { job(self) }
    jobs = []
  }

  /// Sees whether the tree is whole and every row lies where its name says: one that does not is
  /// found by no look-up, and removed by none.
  func checkStructure() throws(StorageError) {
    guard isInitialised else { return }
    var verdict: [UInt8] = []
    try connection.run(.quickCheck) { verdict = SQLiteConnection.blob($0) }
    guard verdict == Array("ok".utf8) else {
      throw .damaged("The structure of the database is damaged")
    }
    var last: (space: Int64, name: [UInt8])?
    var isSound = true
    try connection.run(.keysAsTheyLie) { statement in
      let next = SQLiteConnection.key(statement)
      // A text, which sorts before every name, may have been a name.
      isSound = isSound && SQLiteConnection.hasKeyTypes(statement)
      isSound = isSound && UInt8(exactly: next.space) != nil
      if let last {
        isSound =
          isSound
          && (last.space != next.space
            ? last.space < next.space : last.name.lexicographicallyPrecedes(next.name))
      }
      last = next
    }
    guard isSound else { throw .damaged("The rows of the database are not in their places") }
    guard !connection.isHeaderForbidding else {
      throw .damaged("The header of the database is damaged")
    }
  }

  /// Writes the number of this commit, as its last change.
  func putGeneration() throws(StorageError) {
    try putTwice(.generation, Checksummed.frame(nextGeneration.bigEndianBytes))
  }

  /// Makes the table in the transaction that first writes, so that there is never one without
  /// the other.
  private func initialise() throws(StorageError) {
    guard !isInitialised else { return }
    try connection.execute(SQLiteSession.schema)
    try connection.execute("PRAGMA application_id=\(StoreFormat.applicationID)")
    try connection.execute("PRAGMA user_version=\(StoreFormat.version)")
    isInitialised = true
  }
}
