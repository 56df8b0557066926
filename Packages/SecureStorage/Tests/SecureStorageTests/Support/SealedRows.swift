@testable import SecureStorage

/// The sealed rows of a store on disk, as bytes: what must be gone once it was removed.
enum SealedRows {
  static func all(of home: TemporaryHome) throws -> [[UInt8]] {
    let engine = try SQLiteEngine(directory: home.store, lockDeadline: .seconds(1))
    defer { engine.close() }
    return try engine.read { reader throws(StorageError) in
      var rows: [[UInt8]] = []
      for space in StoreNamespace.allCases.flatMap(\.spaces) {
        for name in try reader.names(in: space) {
          if let row = try reader.row(name) { rows.append(row) }
        }
      }
      return rows
    }
  }
}
