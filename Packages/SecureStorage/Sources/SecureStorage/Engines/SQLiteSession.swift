internal import CSQLite

/// What a transaction sees and does; valid during one call of the engine only.
final class SQLiteSession: StorageWriter {
  private let connection: SQLiteConnection
  private(set) var isInitialised: Bool
  private(set) var generation: UInt64 = 0
  private(set) var hasChanged = false
  private(set) var purge = Purge.none
  private(set) var jobs: [@Sendable () -> Void] = []

  /// How much of what was removed is to be overwritten.
  enum Purge: Int, Comparable {
    case none, quick, thorough

    static func < (left: Purge, right: Purge) -> Bool { left.rawValue < right.rawValue }
  }

  private static let select = "SELECT value FROM rows WHERE space=?1 AND name=?2"

  /// Looks at the database's state, inside a transaction that the caller has begun.
  ///
  /// `durable` is the generation that the database must have reached.
  init(_ connection: SQLiteConnection, path: String, durable: UInt64) throws(StorageError) {
    self.connection = connection
    let application = try connection.number("PRAGMA application_id") ?? 0
    let version = try connection.number("PRAGMA user_version") ?? 0
    if application == 0, version == 0, durable == 0,
      try connection.number("SELECT count(*) FROM sqlite_schema") == 0
    {
      isInitialised = false
      return
    }
    guard application == Int64(StoreFormat.applicationID), version > 0 else {
      throw .damaged("\(path) is not a store, or its header is damaged")
    }
    guard version <= Int64(StoreFormat.version) else {
      throw .newerFormat("\(path) has format \(version); this build knows up to 1")
    }
    isInitialised = true
    let found = try sound(.generation) { row in
      var reader = ByteReader(Checksummed.payload(of: row) ?? [])
      return reader.number(UInt64.self).flatMap { $0 < 1 << 60 ? $0 : nil }
    }
    guard case .sound(let generation) = found else {
      throw .damaged("The generation of \(path) is missing or damaged")
    }
    guard generation >= durable else {
      throw .damaged(
        "\(path) is older than its last commit (generation \(generation), not \(durable)): "
          + "an old copy was put back, or its log is missing"
      )
    }
    self.generation = generation
  }

  var nextGeneration: UInt64 { generation + 1 }

  func row(_ name: RowName) throws(StorageError) -> [UInt8]? {
    guard isInitialised else { return nil }
    return try connection.query(SQLiteSession.select, SQLiteSession.parameters(name)) {
      SQLiteConnection.blob($0, 0)
    }.first
  }

  func names(in space: UInt8) throws(StorageError) -> [RowName] {
    guard isInitialised else { return [] }
    return try connection.query(
      "SELECT name FROM rows WHERE space=?1 ORDER BY name",
      [.number(Int64(space))]
    ) { RowName(space: space, bytes: SQLiteConnection.blob($0, 0)) }
  }

  func put(_ name: RowName, _ bytes: [UInt8]) throws(StorageError) {
    try initialise()
    hasChanged = true
    try connection.run(
      "INSERT OR REPLACE INTO rows(space, name, value) VALUES(?1, ?2, ?3)",
      SQLiteSession.parameters(name) + [.blob(bytes)]
    )
  }

  func remove(_ name: RowName) throws(StorageError) {
    guard isInitialised else { return }
    hasChanged = true
    try connection.run(
      "DELETE FROM rows WHERE space=?1 AND name=?2",
      SQLiteSession.parameters(name)
    )
  }

  func removeAll(in space: UInt8) throws(StorageError) {
    guard isInitialised else { return }
    hasChanged = true
    try connection.run("DELETE FROM rows WHERE space=?1", [.number(Int64(space))])
  }

  func afterCommit(_ job: @escaping @Sendable () -> Void) { jobs.append(job) }

  func purgeAfterCommit(thoroughly: Bool) {
    purge = thoroughly ? .thorough : max(purge, .quick)
  }

  /// Writes the number of this commit, as its last change.
  func putGeneration() throws(StorageError) {
    try putTwice(.generation, Checksummed.frame(nextGeneration.bigEndianBytes))
  }

  /// Makes the table in the transaction that first writes, so that there is never one without
  /// the other.
  private func initialise() throws(StorageError) {
    guard !isInitialised else { return }
    try connection.execute(
      """
      CREATE TABLE rows(space INTEGER NOT NULL, name BLOB NOT NULL, value BLOB NOT NULL,
        PRIMARY KEY(space, name)) WITHOUT ROWID
      """
    )
    try connection.execute("PRAGMA application_id=\(StoreFormat.applicationID)")
    try connection.execute("PRAGMA user_version=\(StoreFormat.version)")
    isInitialised = true
  }

  private static func parameters(_ name: RowName) -> [SQLiteConnection.Parameter] {
    [.number(Int64(name.space)), .blob(name.bytes)]
  }
}
