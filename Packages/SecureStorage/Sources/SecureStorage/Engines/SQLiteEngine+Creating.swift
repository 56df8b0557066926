#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

extension SQLiteEngine {
  static func create(
    _ files: StoreFiles,
    _ lock: FileLock,
    _ generations: GenerationFile,
    _ deadline: Duration
  ) throws(StorageError) {
    try lock.withLock(within: deadline) { () throws(StorageError) in
      if try POSIX.status(files.database) != nil { return }
      guard generations.stamp >> 1 == 0 else { throw .databaseGone(files.database) }
      // Made before SQLite sees it, so that no umask shows it to others; log and shared
      // memory take its mode.
      let file = try POSIX.openFile(files.database, creating: true)
      _ = closeFile(file)
      try POSIX.syncDirectory(files.directory)
    }
  }

  /// A commit that did not count, for the lock that it was made under did not any more.
  var passedOver: StorageError {
    StorageError(
      .busy,
      "This process did not move for so long that a sign-out elsewhere went on without it, and "
        + "nothing was stored",
      advice: "Try again."
    )
  }

  static func closed(_ files: StoreFiles) -> StorageError {
    .misuse("The store in \(files.directory) was closed", advice: "Open it again.")
  }
}

/// `close(2)`, which a method of the same name hides.
private func closeFile(_ file: Int32) -> Int32 { close(file) }
