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
  /// What tells the file from one that takes its place.
  private let device: dev_t
  private let number: ino_t

  init(path: String) throws(StorageError) {
    self.path = path
    file = try POSIX.openFile(path, creating: true)
    var status = stat()
    guard fstat(file, &status) == 0 else {
      let code = errno
      close(file)
      throw POSIX.failure("cannot look at", path, code)
    }
    (device, number) = (status.st_dev, status.st_ino)
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

  /// As ``withLock(within:_:)`` where another process does not have the lock; else nil.
  func withLockIfFree<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result? {
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else { return nil }
    defer { flock(file, LOCK_UN) }
    try checkPlace()
    return try body()
  }

  /// Whoever holds the lock of a file that was deleted or replaced excludes nobody, and would
  /// write into a database that nobody opens again.
  private func checkPlace() throws(StorageError) {
    guard let there = try POSIX.status(path), there.st_ino == number, there.st_dev == device else {
      throw .misuse(
        "The store's lock \(path) was deleted or replaced while the store was open",
        advice: "Nothing was changed. Open the store again."
      )
    }
  }

  private func acquire(within deadline: Duration) throws(StorageError) {
    var end: ContinuousClock.Instant?
    var pause: UInt32 = 200
    while flock(file, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      guard code == EWOULDBLOCK || code == EINTR else { throw POSIX.failure("cannot lock", path) }
      let now = ContinuousClock.now
      end = end ?? now + deadline
      guard let end, now < end else {
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
