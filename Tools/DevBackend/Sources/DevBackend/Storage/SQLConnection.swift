/// A value in or out of a statement.
///
/// Only these three: they are the same in every SQL database, and hashes and keys are kept as
/// text.
package enum SQLValue: Equatable, Sendable {
  case null
  case integer(Int64)
  case text(String)

  /// The text, or null where there is none.
  package static func optional(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null }

  /// The number, or null where there is none.
  package static func optional(_ integer: Int64?) -> SQLValue {
    integer.map(SQLValue.integer) ?? .null
  }

  /// 1 or 0.
  package static func flag(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }
}

/// One row of an answer.
package struct SQLRow: Equatable, Sendable {
  package let values: [SQLValue]

  package init(values: [SQLValue]) { self.values = values }

  /// The text of a column that is never null.
  package func text(_ column: Int) -> String { optionalText(column) ?? "" }

  package func optionalText(_ column: Int) -> String? {
    guard case .text(let text) = values[column] else { return nil }
    return text
  }

  /// The number of a column that is never null.
  package func integer(_ column: Int) -> Int64 { optionalInteger(column) ?? 0 }

  package func optionalInteger(_ column: Int) -> Int64? {
    guard case .integer(let integer) = values[column] else { return nil }
    return integer
  }

  package func flag(_ column: Int) -> Bool { integer(column) != 0 }
}

/// One connection to a database, used by one thread at a time.
///
/// Statements are written in the SQL that SQLite and PostgreSQL share, with `?` for values; where
/// the two differ, the connection says how.
package protocol SQLConnection: AnyObject {
  /// Runs one statement and reads all rows of its answer.
  ///
  /// - Throws: ``BackendError`` where the database refuses it.
  @discardableResult
  func run(_ statement: String, _ values: [SQLValue]) throws(BackendError) -> [SQLRow]

  /// How many rows the last statement inserted, changed or deleted.
  var changes: Int { get }

  /// What ends a SELECT whose rows no other transaction may change before this one has ended.
  ///
  /// A decision that rests on a row must read it with this, and before whatever else it reads:
  /// other instances decide at the same time. Empty where there is one writer only.
  var rowLock: String { get }

  /// Keeps every other instance's start-up out until this transaction has ended.
  func lockSchema() throws(BackendError)
}

extension SQLConnection {
  @discardableResult
  package func run(_ statement: String, _ values: SQLValue...) throws(BackendError) -> [SQLRow] {
    try run(statement, values)
  }
}
