/// Every statement that is used more than once, prepared when it is first needed.
///
/// Parameter 1 is the space, 2 the name or the first, 3 the value or the name at the end.
enum SQLiteStatement: Int {
  case begin, beginImmediate, commit, rollback
  case applicationID, userVersion, countTables, schemaText, journalInMemory
  case select, rows, rowsToTheEnd, names, update, insert, put, remove, removeAll
  case quickCheck, keysAsTheyLie

  /// How many there are.
  static let count = keysAsTheyLie.rawValue + 1

  var hasName: Bool {
    switch self {
    case .select, .rows, .rowsToTheEnd, .update, .insert, .put, .remove: true
    default: false
    }
  }

  var hasValue: Bool {
    switch self {
    case .rows, .update, .insert, .put: true
    default: false
    }
  }

  var sql: String {
    switch self {
    case .begin: "BEGIN"
    case .beginImmediate: "BEGIN IMMEDIATE"
    case .commit: "COMMIT"
    case .rollback: "ROLLBACK"
    case .applicationID: "PRAGMA application_id"
    case .userVersion: "PRAGMA user_version"
    case .countTables: "SELECT count(*) FROM sqlite_schema"
    case .schemaText: "SELECT group_concat(sql, ';') FROM sqlite_schema"
    case .journalInMemory: "PRAGMA journal_mode=MEMORY"
    case .select: "SELECT value FROM rows WHERE space=?1 AND name=?2"
    case .rows:
      "SELECT name, value FROM rows WHERE space=?1 AND name>=?2 AND name<?3 ORDER BY name"
    case .rowsToTheEnd:
      "SELECT name, value FROM rows WHERE space=?1 AND name>=?2 ORDER BY name"
    case .names: "SELECT name FROM rows WHERE space=?1 ORDER BY name"
    // A value of the same length is overwritten where it lies.
    case .update: "UPDATE rows SET value=?3 WHERE space=?1 AND name=?2"
    case .insert: "INSERT INTO rows(space, name, value) VALUES(?1, ?2, ?3)"
    case .put:
      """
      INSERT INTO rows(space, name, value) VALUES(?1, ?2, ?3)
      ON CONFLICT(space, name) DO UPDATE SET value=excluded.value
      """
    case .remove: "DELETE FROM rows WHERE space=?1 AND name=?2"
    case .removeAll: "DELETE FROM rows WHERE space=?1"
    case .quickCheck: "PRAGMA quick_check(1)"
    // In the order of the tree, and not sorted.
    case .keysAsTheyLie: "SELECT name, space FROM rows NOT INDEXED"
    }
  }
}
