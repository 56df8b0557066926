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

  /// Clears away what stands in the place of a store's files and is no file.
  ///
  /// A directory, a pipe or a socket holds no session, and must not keep anybody signed in (R4).
  ///
  /// An empty directory is removed, and one that holds something gets `.obstacle-<number>` behind its
  /// name. Links stay, for a store may be where they lead to. Only for signing out: whoever merely
  /// opens a store is told of them.
  ///
  /// - Parameter directory: The store's. Where there is none, nothing is done.
  /// - Throws: `io` where something cannot be moved, or the directory is not ours.
  public static func clearObstacles(at directory: String) async throws(StorageError) {
    try await OpenStores.opening.run { () throws(StorageError) in
      let files = StoreFiles(directory: directory)
      guard try POSIX.status(files.directory) != nil else { return }
      var privacy = PrivateFiles()
      privacy.isWiping = true
      try privacy.prepareDirectory(files.directory)
      try Obstacles(files: files).clear()
    }
  }
}
