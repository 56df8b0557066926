internal import CSQLite

/// A connection to a SQLite file, or to a database in memory.
final class SQLiteConnection: SQLConnection {
  private let handle: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]

  /// Opens the file, which must exist, or a database in memory where there is no path.
  ///
  /// - Throws: ``BackendError`` where it is no database or cannot be opened.
  init(path: String?) throws(BackendError) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let status = sqlite3_open_v2(path ?? ":memory:", &opened, flags, nil)
    guard let opened, status == SQLITE_OK else {
      sqlite3_close_v2(opened)
      throw BackendError(
        .database,
        "cannot open the database \(path ?? ":memory:"): \(String(cString: sqlite3_errstr(status)))"
      )
    }
    handle = opened
    sqlite3_busy_timeout(handle, 5_000)
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  // There is one writer, which `BEGIN IMMEDIATE` sees to.
  let rowLock = ""

  func lockSchema() {}

  var changes: Int { Int(sqlite3_changes(handle)) }

  func run(_ text: String, _ values: [SQLValue]) throws(BackendError) -> [SQLRow] {
    let statement = try prepared(text)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      try check(bind(value, to: Int32(index + 1), of: statement))
    }
    var rows: [SQLRow] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: rows.append(row(of: statement))
      case SQLITE_DONE: return rows
      case let status: try check(status)
      }
    }
  }

  private func prepared(_ text: String) throws(BackendError) -> OpaquePointer {
    if let statement = statements[text] { return statement }
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, text, -1, &statement, nil))
    guard let statement else { throw BackendError(.database, "an empty SQL statement") }
    statements[text] = statement
    return statement
  }

  private func bind(_ value: SQLValue, to index: Int32, of statement: OpaquePointer) -> Int32 {
    switch value {
    case .null: sqlite3_bind_null(statement, index)
    case .integer(let integer): sqlite3_bind_int64(statement, index, integer)
    case .text(let text):
      // The length is given, so that a NUL in the text does not end it.
      sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), csqlite_transient())
    }
  }

  private func row(of statement: OpaquePointer) -> SQLRow {
    SQLRow(
      values: (0..<sqlite3_column_count(statement)).map { column in
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_TEXT:
          let start = sqlite3_column_text(statement, column)
          let count = Int(sqlite3_column_bytes(statement, column))
          return .text(
            String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
          )
        default: return .null
        }
      }
    )
  }

  private func check(_ status: Int32) throws(BackendError) {
    guard status != SQLITE_OK else { return }
    throw BackendError(.database, "the database failed: \(String(cString: sqlite3_errmsg(handle)))")
  }
}
