internal import CSQLite

/// One connection and its prepared statements.
// `@unchecked` holds because the engine keeps each connection inside a `Mutex` and uses it
// inside the lock only.
final class SQLiteConnection: @unchecked Sendable {
  private let database: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]
  private let path: String
  /// How many pages the log had after the last commit; written by SQLite's hook.
  private let logPages: UnsafeMutablePointer<Int32>

  init(path: String) throws(StorageError) {
    self.path = path
    var handle: OpaquePointer?
    let flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX
      | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      sqlite3_close_v2(handle)
      throw SQLiteConnection.error(code, "cannot open", path)
    }
    database = handle
    logPages = .allocate(capacity: 1)
    logPages.initialize(to: 0)
    sqlite3_busy_timeout(handle, 5000)
    // Closing must not checkpoint: it would do so without the lock.
    _ = csqlite_db_config_flag(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nil)
    _ = csqlite_db_config_flag(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nil)
    _ = csqlite_db_config_flag(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nil)
    // This also takes the place of SQLite's own automatic checkpoints.
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        context?.assumingMemoryBound(to: Int32.self).pointee = pages
        return SQLITE_OK
      },
      logPages
    )
    do {
      try execute("PRAGMA synchronous=FULL")
      try execute("PRAGMA secure_delete=ON")
      try execute("PRAGMA cell_size_check=ON")
      // What is rebuilt must not pass through a file elsewhere.
      try execute("PRAGMA temp_store=MEMORY")
    } catch {
      close()
      throw error
    }
  }

  deinit { close() }

  private var isOpen = true

  func close() {
    guard isOpen else { return }
    isOpen = false
    for statement in statements.values { sqlite3_finalize(statement) }
    statements = [:]
    sqlite3_close_v2(database)
    logPages.deallocate()
  }

  var pagesInLog: Int { Int(logPages.pointee) }

  /// Runs a statement without parameters or rows.
  func execute(_ sql: String) throws(StorageError) {
    let code = sqlite3_exec(database, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code, "cannot write to") }
  }

  /// The first column of the first row as a number, or nil where there is no row.
  func number(_ sql: String) throws(StorageError) -> Int64? {
    try query(sql, []) { statement in sqlite3_column_int64(statement, 0) }.first
  }

  /// Runs a statement and turns each row into a value.
  func query<Row>(
    _ sql: String,
    _ parameters: [Parameter],
    _ row: (OpaquePointer) -> Row
  ) throws(StorageError) -> [Row] {
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, parameter) in parameters.enumerated() {
      let code = bind(parameter, at: Int32(index + 1), of: statement)
      guard code == SQLITE_OK else { throw error(code, "cannot write to") }
    }
    var rows: [Row] = []
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_ROW {
        rows.append(row(statement))
      } else if code == SQLITE_DONE {
        return rows
      } else {
        throw error(code, "cannot use")
      }
    }
  }

  func run(_ sql: String, _ parameters: [Parameter]) throws(StorageError) {
    _ = try query(sql, parameters) { _ in }
  }

  enum Parameter {
    case number(Int64)
    case blob([UInt8])
  }

  static func blob(_ statement: OpaquePointer, _ column: Int32) -> [UInt8] {
    let count = Int(sqlite3_column_bytes(statement, column))
    guard count > 0, let start = sqlite3_column_blob(statement, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Moves the log into the database; truncating also empties the log's file.
  ///
  /// - Returns: Whether all of it was moved; a reader elsewhere can prevent it.
  func checkpoint(truncating: Bool) throws(StorageError) -> Bool {
    let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_RESTART
    let code = sqlite3_wal_checkpoint_v2(database, nil, mode, nil, nil)
    if code & 0xFF == SQLITE_BUSY || code & 0xFF == SQLITE_LOCKED { return false }
    guard code == SQLITE_OK else { throw error(code, "cannot write to") }
    logPages.pointee = 0
    return true
  }

  private func prepared(_ sql: String) throws(StorageError) -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      database,
      sql,
      -1,
      UInt32(SQLITE_PREPARE_PERSISTENT),
      &statement,
      nil
    )
    guard code == SQLITE_OK, let statement else { throw error(code, "cannot use") }
    statements[sql] = statement
    return statement
  }

  private func bind(_ parameter: Parameter, at index: Int32, of statement: OpaquePointer) -> Int32 {
    switch parameter {
    case .number(let number): sqlite3_bind_int64(statement, index, number)
    case .blob(let bytes) where bytes.isEmpty: sqlite3_bind_zeroblob(statement, index, 0)
    case .blob(let bytes):
      sqlite3_bind_blob64(statement, index, bytes, UInt64(bytes.count), csqlite_transient())
    }
  }

  private func error(_ code: Int32, _ what: String) -> StorageError {
    SQLiteConnection.error(code, what, path)
  }

  private static func error(_ code: Int32, _ what: String, _ path: String) -> StorageError {
    let reason = String(cString: sqlite3_errstr(code))
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED:
      return StorageError(.busy, "\(path) is in use: \(reason)", advice: "Try again.")
    case SQLITE_FULL:
      return .io("\(what) \(path): the disk is full", advice: "Make room and try again.")
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_NOMEM, SQLITE_AUTH,
      SQLITE_NOLFS, SQLITE_PROTOCOL:
      return .io("\(what) \(path): \(reason)", advice: "Nothing was changed.")
    default:
      // `CORRUPT` and `NOTADB`, and all that a healthy file never gives: a table that is not
      // there, a row that is too big.
      return .damaged("The database \(path) is damaged: \(reason)")
    }
  }
}
