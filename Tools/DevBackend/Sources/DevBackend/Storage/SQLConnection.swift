/// A value in or out of a statement.
///
/// Only these three: they are the same in every SQL database, and hashes and keys are kept as
/// text.
enum SQLValue: Equatable, Sendable {
  case null
  case integer(Int64)
  case text(String)

  /// The text, or null where there is none.
  static func optional(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null }

  /// The number, or null where there is none.
  static func optional(_ integer: Int64?) -> SQLValue { integer.map(SQLValue.integer) ?? .null }

  /// 1 or 0.
  static func flag(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }
}

/// One row of an answer.
struct SQLRow: Equatable, Sendable {
  let values: [SQLValue]

  /// The text of a column that is never null.
  func text(_ column: Int) -> String { optionalText(column) ?? "" }

  func optionalText(_ column: Int) -> String? {
    guard case .text(let text) = values[column] else { return nil }
    return text
  }

  /// The number of a column that is never null.
  func integer(_ column: Int) -> Int64 { optionalInteger(column) ?? 0 }

  func optionalInteger(_ column: Int) -> Int64? {
    guard case .integer(let integer) = values[column] else { return nil }
    return integer
  }

  func flag(_ column: Int) -> Bool { integer(column) != 0 }
}

/// One connection to a database, used by one thread at a time: the seam for other databases.
///
/// Statements are written in the SQL that SQLite and PostgreSQL share, with `?` for values.
protocol SQLConnection: AnyObject {
  /// Runs one statement and reads all rows of its answer.
  ///
  /// - Throws: ``BackendError`` where the database refuses it.
  @discardableResult
  func run(_ statement: String, _ values: [SQLValue]) throws(BackendError) -> [SQLRow]

  /// How many rows the last statement inserted, changed or deleted.
  var changes: Int { get }
}

extension SQLConnection {
  @discardableResult
  func run(_ statement: String, _ values: SQLValue...) throws(BackendError) -> [SQLRow] {
    try run(statement, values)
  }
}
