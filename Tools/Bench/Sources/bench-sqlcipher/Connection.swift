import BenchKit
internal import CSQLCipher

/// One connection with its two statements.
final class Connection {
  // It is copied by the library before the call returns.
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  private let database: OpaquePointer
  private let select: OpaquePointer
  private let upsert: OpaquePointer

  init(_ path: String) throws(Failure) {
    var opened: OpaquePointer?
    guard sqlite3_open(path, &opened) == SQLITE_OK, let opened else {
      throw Failure("SQLCipher does not open \(path)")
    }
    database = opened
    sqlite3_busy_timeout(opened, 10_000)
    let key = String(repeating: "5a", count: 32)
    for text in [
      "PRAGMA key = \"x'\(key)'\"", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
      "CREATE TABLE IF NOT EXISTS entries(name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID",
    ] { try Connection.execute(text, opened) }
    select = try Connection.prepare("SELECT value FROM entries WHERE name = ?1", opened)
    upsert = try Connection.prepare("INSERT OR REPLACE INTO entries VALUES(?1, ?2)", opened)
  }

  deinit {
    sqlite3_finalize(select)
    sqlite3_finalize(upsert)
    sqlite3_close(database)
  }

  func get(_ key: String) throws(Failure) -> [UInt8] {
    defer { sqlite3_reset(select) }
    sqlite3_bind_text(select, 1, key, -1, Connection.transient)
    guard sqlite3_step(select) == SQLITE_ROW, let bytes = sqlite3_column_blob(select, 0) else {
      throw Failure("SQLCipher: \(String(cString: sqlite3_errmsg(database)))")
    }
    return Array(
      UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(select, 0)))
    )
  }

  func set(_ count: Int, _ entry: (Int) -> (key: String, value: [UInt8])) throws(Failure) {
    try Connection.execute("BEGIN IMMEDIATE", database)
    for index in 0..<count {
      let (key, value) = entry(index)
      sqlite3_bind_text(upsert, 1, key, -1, Connection.transient)
      sqlite3_bind_blob(upsert, 2, value, Int32(value.count), Connection.transient)
      guard sqlite3_step(upsert) == SQLITE_DONE else {
        throw Failure("SQLCipher: \(String(cString: sqlite3_errmsg(database)))")
      }
      sqlite3_reset(upsert)
    }
    try Connection.execute("COMMIT", database)
  }

  private static func execute(_ text: String, _ database: OpaquePointer) throws(Failure) {
    guard sqlite3_exec(database, text, nil, nil, nil) == SQLITE_OK else {
      throw Failure("SQLCipher: \(text): \(String(cString: sqlite3_errmsg(database)))")
    }
  }

  private static func prepare(
    _ text: String,
    _ database: OpaquePointer
  ) throws(Failure) -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database, text, -1, &statement, nil) == SQLITE_OK, let statement
    else { throw Failure("SQLCipher: \(text): \(String(cString: sqlite3_errmsg(database)))") }
    return statement
  }
}
