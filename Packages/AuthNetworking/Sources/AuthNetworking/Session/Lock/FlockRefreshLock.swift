#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif
internal import Synchronization

/// A refresh lock on a file (`flock`): the kernel frees it when its holder dies, however it dies.
///
/// Each acquisition opens the file anew, so that two objects of one process keep each other out
/// as two processes do. The file is empty, 0600, stays where it is, and is never inherited by a
/// child process.
public struct FlockRefreshLock: RefreshLock {
  /// The file.
  public let path: String

  /// A lock on a file whose directory exists; the file is made when first needed.
  public init(path: String) { self.path = path }

  /// Takes the lock; while another one holds it, looks again every few milliseconds.
  ///
  /// - Throws: ``RefreshLockError``; `unusable` for a symbolic link, a file of another owner, or
  ///   a directory that cannot be written.
  public func acquire(timeout: Duration) async throws(RefreshLockError) -> any HeldRefreshLock {
    let deadline = ContinuousClock.now + timeout
    var pause = Duration.milliseconds(2)
    while true {
      if let file = try FlockRefreshLock.tryLock(path) { return file }
      let left = deadline - ContinuousClock.now
      guard left > .zero else {
        throw RefreshLockError(.busy, "Another process is refreshing this session")
      }
      // Polling, since a thread that blocks in `flock` cannot be given a deadline; a random part
      // keeps waiters from marching in step.
      let wait = min(left, pause * Double.random(in: 0.5...1))
      do { try await Task.sleep(for: wait, clock: .continuous) } catch {
        throw RefreshLockError(.cancelled, "The wait for the refresh lock was cancelled")
      }
      pause = min(pause * 2, .milliseconds(25))
    }
  }

  /// One attempt, which never blocks; nil while another one holds the lock.
  private static func tryLock(_ path: String) throws(RefreshLockError) -> LockedFile? {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw unusable(path, "cannot be opened", errno) }
    let file = LockedFile(descriptor)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw unusable(path, "cannot be examined", errno)
    }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
      throw RefreshLockError(.unusable, "\(path) is not a file of this user")
    }
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK: return nil
      default: throw unusable(path, "cannot be locked", errno)
      }
    }
    // Who removed the file while we waited made the next one lock another file: ours is void.
    var current = stat()
    guard lstat(path, &current) == 0, current.st_ino == status.st_ino,
      current.st_dev == status.st_dev
    else { return nil }
    return file
  }

  private static func unusable(_ path: String, _ what: String, _ code: Int32) -> RefreshLockError {
    RefreshLockError(.unusable, "\(path) \(what): \(String(cString: strerror(code)))")
  }
}

/// An open lock file.
private final class LockedFile: HeldRefreshLock {
  private let descriptor: Atomic<Int32>
  private let process = getpid()

  init(_ descriptor: Int32) { self.descriptor = Atomic(descriptor) }

  func release() {
    let open = descriptor.exchange(-1, ordering: .acquiringAndReleasing)
    guard open >= 0 else { return }
    // Closing alone would not do: a child that the app is just starting has the file open until it
    // calls exec. One that only forked must not give back what is its parent's.
    if getpid() == process { flock(open, LOCK_UN) }
    close(open)
  }

  deinit { release() }
}
