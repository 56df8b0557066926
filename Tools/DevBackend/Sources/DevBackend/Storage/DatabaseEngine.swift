/// A database that transactions run on: SQLite's file or memory, or a server that instances share.
///
/// The tables, the migrations and the statements are the same on each. What differs is that a
/// shared one runs transactions side by side, so that
/// - a body may run more than once (after a deadlock, a lost connection, or a row that another
///   instance inserted first), and must change nothing but the database;
/// - a body reads what it decides on with ``SQLConnection/rowLock``, or decides by the condition
///   of an UPDATE, or by a UNIQUE constraint.
package protocol DatabaseEngine: Sendable {
  /// How many transactions can run at once; at least one.
  var width: Int { get }

  /// Whether other instances may change what is in it.
  var isShared: Bool { get }

  /// One transaction, on the calling thread, which it blocks; rolled back where the body throws.
  ///
  /// - Throws: what the body throws, and ``BackendError`` where the database fails; then nothing
  ///   was changed, unless the connection was lost during the commit.
  func transaction<Result: Sendable>(
    _ body: (any SQLConnection) throws -> Result
  ) throws -> Result

  /// Closes it, whoever still holds it; transactions fail from then on.
  func close()
}
