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

  convenience init(path: String) throws(StorageError) {
    try self.init(path, file: path)
  }

  private init(_ path: String, file name: String) throws(StorageError) {
    self.path = path
    file = try POSIX.openFile(name, creating: true)
    var status = stat()
    guard fstat(file, &status) == 0 else {
      let code = errno
      close(file)
      throw POSIX.failure("cannot look at", name, code)
    }
    (device, number) = (status.st_dev, status.st_ino)
  }

  /// A lock that stands in the place of another one from now on, and is held.
  ///
  /// - Throws: `busy` where another process is about to do the same.
  convenience init(replacing path: String) throws(StorageError) {
    let draft = path + ".new"
    try self.init(path, file: draft)
    guard flock(file, LOCK_EX | LOCK_NB) == 0, try isAt(draft) else { throw FileLock.busy(path) }
  }

  /// Takes the old lock's place; who waits for that one learns it when it is free.
  func takePlace() throws(StorageError) {
    guard rename(path + ".new", path) == 0 else { throw POSIX.failure("cannot replace", path) }
  }

  deinit { close(file) }

  /// Whether the lock is free just now; tells nothing of the next moment.
  func isFree() -> Bool {
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else { return false }
    flock(file, LOCK_UN)
    return true
  }

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
    guard try isAt(path) else {
      throw .misuse(
        "The store's lock \(path) was deleted or replaced while the store was open",
        advice: "Nothing was changed. Open the store again."
      )
    }
  }

  private func isAt(_ path: String) throws(StorageError) -> Bool {
    guard let there = try POSIX.status(path) else { return false }
    return there.st_ino == number && there.st_dev == device
  }

  private static func busy(_ path: String) -> StorageError {
    StorageError(
      .busy,
      "Another process is writing to the store and keeps \(path) locked",
      advice: "Try again."
    )
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
        throw FileLock.busy(path)
      }
      usleep(pause)
      pause = min(pause * 2, 5000)
    }
  }
}
