extension SecureStore {
  /// Whether there is a store in a directory, or was one whose database is gone.
  ///
  /// Makes nothing. A directory that holds nothing but a vault's file has no store: that key is
  /// another install's, or the store was deleted as a whole (R15).
  ///
  /// - Parameter directory: The store's.
  /// - Returns: Whether opening it would find anything, be it damage.
  /// - Throws: `io` where it cannot be looked at.
  public static func exists(at directory: String) throws(StorageError) -> Bool {
    let files = StoreFiles(directory: directory)
    // What cannot be looked at is not absent.
    for path in [files.database, files.log] { _ = try POSIX.status(path) }
    if files.size() > 0 { return true }
    guard try POSIX.status(files.generation) != nil else { return false }
    return try GenerationFile(path: files.generation).stamp != 0
  }
}
