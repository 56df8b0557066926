/// A database that is made in memory, as a whole, to take another one's place.
extension SQLiteConnection {
  /// A connection to an empty store in memory, in a transaction that has begun.
  static func inMemory(version: Int64) throws(StorageError) -> SQLiteConnection {
    let connection = try SQLiteConnection(path: ":memory:", synchronous: .full)
    try connection.execute("BEGIN")
    try connection.execute(SQLiteSession.schema)
    try connection.execute("PRAGMA application_id=\(StoreFormat.applicationID)")
    try connection.execute("PRAGMA user_version=\(version)")
    return connection
  }

  /// Ends the transaction, and gives the bytes for the file.
  func finishedImage() throws(StorageError) -> [UInt8] {
    try execute("COMMIT")
    var image = try serialized()
    // Memory has no log; the file has one from the start.
    for place in [18, 19] where image.count > place { image[place] = 2 }
    return image
  }
}
