internal import CSQLite

/// One connection and its prepared statements.
// `@unchecked` holds because the engine keeps each connection inside a `Mutex` and uses it
// inside the lock only.
final class SQLiteConnection: @unchecked Sendable {
  private let database: OpaquePointer
  private let path: String
  /// Whether the file itself was opened, for writing.
  private let isFile: Bool
  /// By the statement's number; nil for one that was not needed yet.
  ///
  /// No array: its type would be put together at run time, which is a part of what opening takes.
  private let statements: UnsafeMutablePointer<OpaquePointer?>
  /// How many pages the log had after the last commit; written by SQLite's hook.
  private let logPages: UnsafeMutablePointer<Int32>
  private var isOpen = true
  /// What lies with SQLite's own structure of the file, once this connection has written.
  private var marks: UnsafeMutablePointer<MarkKeeping>?
  /// Whether the header was seen to be a store's; a later format has another anchor, too.
  var isKnownStore = false
  /// What this connection committed last; nil where it has not, or that is not sure.
  var lastCommit: Commit?

  /// A commit, and what SQLite says of the database as long as nobody else commits.
  struct Commit {
    let generation: UInt64
    let version: UInt32
  }

  /// - Parameters:
  ///   - path: The database, which is there.
  ///   - synchronous: Nil for a connection that only reads.
  /// - Throws: `io`, `damaged`.
  convenience init(path: String, synchronous: Synchronous?) throws(StorageError) {
    try self.init(
      path,
      opening: path,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW,
      StoreFileSystem.name,
      synchronous
    )
  }

  /// A connection to a database that nobody changes, and whose log is empty: no lock is taken.
  convenience init(unchanging path: String) throws(StorageError) {
    let isPlain = { (byte: UInt8) in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || [45, 46, 47, 95].contains(byte)
    }
    let escaped = path.utf8.map { byte -> String in
      let digits = String(byte, radix: 16)
      return isPlain(byte)
        ? String(UnicodeScalar(byte)) : "%" + (digits.count == 1 ? "0" : "") + digits
    }
    try self.init(
      path,
      opening: "file:\(escaped.joined())?immutable=1",
      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOFOLLOW,
      nil,
      nil
    )
  }

  /// A connection that reads the bytes of a database from memory.
  convenience init(image: [UInt8], of path: String) throws(StorageError) {
    try self.init(path, opening: ":memory:", SQLITE_OPEN_READWRITE, nil, nil)
    guard image.count > 20 else { throw .damaged("The database \(path) is cut short") }
    guard let copy = sqlite3_malloc64(UInt64(image.count)) else {
      throw .io("cannot read \(path): there is no memory", advice: "Nothing was changed.")
    }
    UnsafeMutableRawBufferPointer(start: copy, count: image.count).copyBytes(from: image)
    let bytes = copy.assumingMemoryBound(to: UInt8.self)
    // Memory has no log.
    for place in [18, 19] where bytes[place] == 2 { bytes[place] = 1 }
    let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY)
    let count = Int64(image.count)
    let code = sqlite3_deserialize(database, "main", bytes, count, count, flags)
    guard code == SQLITE_OK else { throw error(code, "cannot read") }
  }

  private init(
    _ path: String,
    opening name: String,
    _ mode: Int32,
    _ fileSystem: String?,
    _ synchronous: Synchronous?
  ) throws(StorageError) {
    self.path = path
    isFile = name == path
    var handle: OpaquePointer?
    let flags = mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
    let code = sqlite3_open_v2(name, &handle, flags, fileSystem)
    guard code == SQLITE_OK, let handle else {
      let error = SQLiteConnection.error(code, sqlite3_system_errno(handle), "cannot open", path)
      sqlite3_close_v2(handle)
      throw error
    }
    database = handle
    statements = .allocate(capacity: SQLiteStatement.count)
    statements.initialize(repeating: nil, count: SQLiteStatement.count)
    logPages = .allocate(capacity: 1)
    logPages.initialize(to: 0)
    sqlite3_busy_timeout(handle, SQLiteConnection.patience)
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
      try execute("PRAGMA cell_size_check=ON")
      if let synchronous {
        // What is sorted must not pass through a file elsewhere.
        try execute(
          """
          PRAGMA synchronous=\(synchronous.rawValue);
          PRAGMA secure_delete=ON;
          PRAGMA temp_store=MEMORY
          """
        )
      }
    } catch {
      close()
      throw error
    }
  }

  /// How long a statement waits for other connections, in milliseconds.
  private static let patience: Int32 = 5000

  /// Whether statements wait for other connections.
  func setWaiting(_ waits: Bool) {
    sqlite3_busy_timeout(database, waits ? SQLiteConnection.patience : 0)
  }

  /// When commits are synced to the disk.
  enum Synchronous: String {
    case full = "FULL"
    case normal = "NORMAL"
  }

  deinit { close() }

  func close() {
    guard isOpen else { return }
    isOpen = false
    for index in 0..<SQLiteStatement.count { sqlite3_finalize(statements[index]) }
    sqlite3_close_v2(database)
    statements.deallocate()
    logPages.deallocate()
  }

  var pagesInLog: Int { Int(logPages.pointee) }

  /// Runs statements without parameters or rows.
  func execute(_ sql: String) throws(StorageError) {
    let code = sqlite3_exec(database, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code, "cannot write to") }
  }

  /// Runs a statement, and `row` for each row of its answer.
  func run(
    _ which: SQLiteStatement,
    space: UInt8? = nil,
    name: [UInt8]? = nil,
    value: [UInt8]? = nil,
    _ row: (OpaquePointer) -> Void = { _ in }
  ) throws(StorageError) {
    let statement = try prepared(which)
    // The statement has the bytes for as long as it runs, and is reset before they go.
    let code = (name ?? []).withUnsafeBytes { name in
      (value ?? []).withUnsafeBytes { value in
        if let space { sqlite3_bind_int64(statement, 1, Int64(space)) }
        if which.hasName { SQLiteConnection.bind(name, at: 2, of: statement) }
        if which.hasValue { SQLiteConnection.bind(value, at: 3, of: statement) }
        var code = sqlite3_step(statement)
        while code == SQLITE_ROW {
          row(statement)
          code = sqlite3_step(statement)
        }
        sqlite3_reset(statement)
        return code
      }
    }
    guard code == SQLITE_DONE else { throw error(code, "cannot use") }
  }

  /// Begins a transaction that writes.
  func beginWriting() throws(StorageError) {
    if marks == nil { marks = StoreFileSystem.marks(of: database) }
    marks?.pointee.begin()
    defer { marks?.pointee.end() }
    try run(.beginImmediate)
  }

  /// How many rows the last statement that writes has changed.
  var changes: Int { Int(sqlite3_changes(database)) }

  /// The first column of the first row as a number, or nil where there is no row.
  func number(_ which: SQLiteStatement) throws(StorageError) -> Int64? {
    var number: Int64?
    try run(which) { number = number ?? sqlite3_column_int64($0, 0) }
    return number
  }

  static func blob(_ statement: OpaquePointer, _ column: Int32 = 0) -> [UInt8] {
    let count = Int(sqlite3_column_bytes(statement, column))
    guard count > 0, let start = sqlite3_column_blob(statement, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// What ``SQLiteStatement/keysAsTheyLie`` gives.
  static func key(_ statement: OpaquePointer) -> (space: Int64, name: [UInt8]) {
    (sqlite3_column_int64(statement, 1), blob(statement))
  }

  /// Whether the columns of ``SQLiteStatement/keysAsTheyLie`` have the types of a key.
  static func hasKeyTypes(_ statement: OpaquePointer) -> Bool {
    sqlite3_column_type(statement, 0) == SQLITE_BLOB
      && sqlite3_column_type(statement, 1) == SQLITE_INTEGER
  }

  /// The bytes that the database has, or would have, as a file.
  func serialized() throws(StorageError) -> [UInt8] {
    var size: Int64 = 0
    guard let bytes = sqlite3_serialize(database, "main", &size, 0) else {
      throw .io("cannot use \(path): there is no memory", advice: "Nothing was changed.")
    }
    defer { sqlite3_free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
  }

  /// Whether SQLite will not write though the system would let it: for what the header says.
  var isHeaderForbidding: Bool {
    isFile && sqlite3_db_readonly(database, "main") == 1 && POSIX.mayWrite(path)
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

  /// A number that stays the same until another connection commits, inside a transaction.
  var version: UInt32 {
    var version: UInt32 = 0
    sqlite3_file_control(database, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// Forgets the pages in memory, which may hold in their gaps what was removed.
  func forgetPages() { sqlite3_db_release_memory(database) }

  private func prepared(_ which: SQLiteStatement) throws(StorageError) -> OpaquePointer {
    if let statement = statements[which.rawValue] { return statement }
    var statement: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    let code = sqlite3_prepare_v3(database, which.sql, -1, flags, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw error(code, "cannot use") }
    statements[which.rawValue] = statement
    return statement
  }

  private static func bind(
    _ bytes: UnsafeRawBufferPointer,
    at index: Int32,
    of statement: OpaquePointer
  ) {
    if bytes.isEmpty {
      sqlite3_bind_zeroblob(statement, index, 0)
    } else {
      // Without a copy: nil says that the bytes stay where they are.
      sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), nil)
    }
  }

  private func error(_ code: Int32, _ what: String) -> StorageError {
    SQLiteConnection.error(code, sqlite3_system_errno(database), what, path)
  }

  // The code is SQLite's, the cause the system's: 0 where SQLite does not know it.
  private static func error(
    _ code: Int32,
    _ cause: Int32,
    _ what: String,
    _ path: String
  ) -> StorageError {
    let reason = String(cString: sqlite3_errstr(code))
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED:
      return StorageError(.busy, "\(path) is in use: \(reason)", advice: "Try again.")
    case SQLITE_FULL:
      return .io("\(what) \(path): the disk is full", advice: "Make room and try again.")
    case SQLITE_READONLY where code == SQLITE_READONLY && POSIX.mayWrite(path):
      // Nothing but its header forbids it.
      return .damaged("The header of \(path) is damaged: \(reason)")
    case SQLITE_IOERR, SQLITE_CANTOPEN:
      // The system's cause may be an older failure's; but it is SQLite's own that something failed.
      switch DiskFault(cause) {
      case let fault?: return fault.error("\(what) \(path)")
      case nil where code & 0xFF == SQLITE_CANTOPEN:
        return .io("\(what) \(path): \(reason)", advice: "Nothing was changed.")
      case nil:
        return .io(
          "\(what) \(path): \(reason)",
          advice: "The disk, or what it is connected by, failed: see the system's log, and try "
            + "again or with the home on another disk. Nothing was changed."
        )
      }
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_NOMEM, SQLITE_AUTH, SQLITE_NOLFS, SQLITE_PROTOCOL:
      return .io("\(what) \(path): \(reason)", advice: "Nothing was changed.")
    default:
      // `CORRUPT` and `NOTADB`, and all that a healthy file never gives: a table that is not
      // there, a row that is too big.
      return .damaged("The database \(path) is damaged: \(reason)")
    }
  }
}
