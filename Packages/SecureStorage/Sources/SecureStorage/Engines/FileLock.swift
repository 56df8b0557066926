#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// The one lock of a store's writers and checkpointers, across processes (`flock`).
///
/// It is held during a call and never between calls: a suspended app must not hold it.
final class FileLock: Sendable {
  private let file: Int32
  private let path: String

  init(path: String) throws(StorageError) {
    self.path = path
    file = try POSIX.openFile(path, creating: true)
  }

  deinit { close(file) }

  /// Runs `body` while no other process has the lock.
  ///
  /// Blocks; not for the cooperative pool.
  ///
  /// - Throws: `busy` where it is not free before the deadline, and what `body` throws.
  func withLock<Result>(
    within deadline: Duration,
    _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try acquire(within: deadline)
    defer { flock(file, LOCK_UN) }
    try checkPlace()
    return try body()
  }

  /// Whoever holds the lock of a file that was deleted or replaced excludes nobody, and would
  /// write into a database that nobody opens again.
  private func checkPlace() throws(StorageError) {
    var mine = stat()
    guard fstat(file, &mine) == 0, let there = try POSIX.status(path),
      there.st_ino == mine.st_ino, there.st_dev == mine.st_dev
    else {
      throw .misuse(
        "The store's lock \(path) was deleted or replaced while the store was open",
        advice: "Nothing was changed. Open the store again."
      )
    }
  }

  private func acquire(within deadline: Duration) throws(StorageError) {
    let end = ContinuousClock.now + deadline
    var pause: UInt32 = 200
    while flock(file, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      guard code == EWOULDBLOCK || code == EINTR else { throw POSIX.failure("cannot lock", path) }
      guard ContinuousClock.now < end else {
        throw StorageError(
          .busy,
          "Another process is writing to the store and keeps \(path) locked",
          advice: "Try again."
        )
      }
      usleep(pause)
      pause = min(pause * 2, 5000)
    }
  }
}
