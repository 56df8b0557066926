#if canImport(Darwin)
internal import Darwin
#elseif canImport(Android)
internal import Android
#else
internal import Glibc
#endif

/// Keeps a second backend away from a database; the kernel drops it when the process dies.
///
/// The file is made here, readable by its owner only, since it holds keys and password hashes;
/// SQLite gives its log the same mode.
final class DatabaseLock: Sendable {
  private let descriptor: Int32

  /// Makes the database file where it is missing, and takes the lock beside it.
  init(of path: String) throws(BackendError) {
    let database = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard database >= 0 else {
      throw BackendError(.database, "cannot open \(path): \(Self.reason()); choose another file")
    }
    close(database)
    let lock = open("\(path)-lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else {
      throw BackendError(.database, "cannot open \(path)-lock: \(Self.reason())")
    }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      close(lock)
      throw BackendError(
        .databaseInUse,
        "another dev-backend uses \(path); stop it, or choose another --database"
      )
    }
    // Set last: `deinit` runs as soon as it is set, even where this throws, and would close the
    // number a second time, which may be another file's by then.
    descriptor = lock
  }

  deinit {
    // A child that is being started holds a copy of the descriptor for a moment, and with it the
    // lock; unlocking releases that too.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func reason() -> String { String(cString: strerror(errno)) }
}
