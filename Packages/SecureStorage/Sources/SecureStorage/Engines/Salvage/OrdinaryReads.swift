/// What SQLite itself still reads of a damaged database, from copies of its bytes in memory.
///
/// It passes over damage that a look at the cells does not, and the other way round.
struct OrdinaryReads {
  private let connections: [SQLiteConnection]

  /// Reads from images of a database; one that SQLite does not take at all gives nothing.
  ///
  /// - Parameters:
  ///   - images: The bytes, with what the log adds to them.
  ///   - path: For messages.
  init(_ images: [[UInt8]], of path: String) {
    connections = images.compactMap { try? SQLiteConnection(image: $0, of: path) }
  }

  /// No database.
  init() { connections = [] }

  /// Whether there is nothing in the database that this format does not know, whatever the number in
  /// its header.
  var isOfThisFormat: Bool {
    guard let connection = connections.first else { return false }
    var (schema, isKnown) = ([UInt8](), true)
    do {
      try connection.run(.schemaText) { schema = SQLiteConnection.blob($0) }
      try connection.run(.keysAsTheyLie) { statement in
        let (space, name) = SQLiteConnection.key(statement)
        let row = UInt8(exactly: space).map { RowName(space: $0, bytes: name) }
        isKnown = isKnown && row?.isKnown ?? false
      }
    } catch {
      return false
    }
    return isKnown && schema == Array(SQLiteSession.schema.utf8)
  }

  /// What the look-ups of a row and of its second copy find.
  func rows(_ name: RowName) -> [[UInt8]] {
    var found: [[UInt8]] = []
    for connection in connections {
      for name in [name, name.copy] {
        try? connection.run(.select, space: name.space, name: name.bytes) {
          found.append(SQLiteConnection.blob($0))
        }
      }
    }
    return found
  }
}
