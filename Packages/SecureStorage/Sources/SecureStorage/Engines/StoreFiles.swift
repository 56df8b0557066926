#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// The files of a store, all in a directory of its own.
struct StoreFiles: Sendable {
  let directory: String
  let database: String
  let log: String
  let sharedMemory: String
  let lock: String
  let generation: String

  /// - Parameter directory: Existing or not; trailing slashes do not matter.
  init(directory: String) {
    var bytes = directory.utf8[...]
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    let path = String(Substring(bytes))
    self.directory = path
    database = path + "/store.db"
    log = database + "-wal"
    sharedMemory = database + "-shm"
    lock = path + "/store.lock"
    generation = path + "/store.generation"
  }

  /// The same files by a path without links above the directory, for SQLite refuses all links.
  ///
  /// - Throws: `io` where the directory is not there.
  func resolved() throws(StorageError) -> StoreFiles {
    guard let path = realpath(directory, nil) else {
      throw POSIX.failure("cannot find", directory)
    }
    defer { free(path) }
    return StoreFiles(directory: String(cString: path))
  }

  /// What tells a directory from every other, by whatever path it is reached.
  struct Identity: Hashable {
    let device: UInt64
    let file: UInt64
  }

  func identity() throws(StorageError) -> Identity {
    guard let status = try POSIX.status(directory) else {
      throw POSIX.failure("cannot find", directory, ENOENT)
    }
    return Identity(
      device: UInt64(truncatingIfNeeded: status.st_dev),
      file: UInt64(truncatingIfNeeded: status.st_ino)
    )
  }

  /// The bytes that database and log take up.
  func size() -> Int {
    [database, log].reduce(0) { sum, path in
      var status = stat()
      return lstat(path, &status) == 0 ? sum + Int(status.st_size) : sum
    }
  }
}
