#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Keeps a profile where it is while a process uses it, or keeps everybody else out while it is
/// renamed or removed.
///
/// It is a lock on the profile's directory, which goes when the process ends, however that is.
final class ProfileHold: Sendable {
  /// Who may hold the profile besides.
  enum Kind: Sendable {
    /// Everybody who uses it.
    case shared
    /// Nobody.
    case exclusive
  }

  private let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit {
    // A child that is being started has the directory open as well until it calls exec, and with it
    // the lock; unlocking releases that too.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Takes hold of a profile's directory, at once or not at all.
  ///
  /// - Returns: nil where there is no such directory.
  /// - Throws: ``ClientError`` of code `storage`, and the status that says *try again*, where
  ///   another process keeps it.
  static func take(_ path: String, _ kind: Kind) throws(ClientError) -> ProfileHold? {
    while true {
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else {
        // What cannot be opened is told by whoever needs what is in it.
        if kind == .shared || errno == ENOENT || errno == ENOTDIR { return nil }
        throw failure("\(path) cannot be opened", errno)
      }
      let hold = ProfileHold(descriptor: descriptor)
      if flock(descriptor, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
        if errno == EINTR { continue }
        if errno == EWOULDBLOCK { throw inUse(path, kind) }
        // A file system without locks: renaming needs one, using does not.
        if kind == .exclusive { throw failure("\(path) cannot be locked", errno) }
        return hold
      }
      // It may have been renamed meanwhile, and another one made.
      if hold.isStill(at: path) { return hold }
    }
  }

  /// Takes hold of a profile that is about to be used, waiting for who renames or removes it.
  ///
  /// - Throws: as ``take(_:_:)``, after some seconds.
  static func wait(for path: String) async throws(ClientError) -> ProfileHold? {
    let deadline = ContinuousClock.now + .seconds(5)
    while true {
      do {
        return try take(path, .shared)
      } catch {
        guard ContinuousClock.now < deadline else { throw error }
        do { try await Task.sleep(for: .milliseconds(20)) } catch {
          throw ClientError(.interrupted, "")
        }
      }
    }
  }

  private func isStill(at path: String) -> Bool {
    var (held, found) = (stat(), stat())
    return fstat(descriptor, &held) == 0 && lstat(path, &found) == 0
      && held.st_dev == found.st_dev && held.st_ino == found.st_ino
  }

  private static func inUse(_ path: String, _ kind: Kind) -> ClientError {
    ClientError(
      .storage,
      kind == .shared
        ? "Another process is renaming or removing the profile in \(path)"
        : "The profile in \(path) is in use by another process",
      advice: kind == .shared
        ? "Try again" : "End what uses it, such as messages watch, and try again",
      exitStatus: .temporary
    )
  }

  private static func failure(_ text: String, _ reason: Int32) -> ClientError {
    ClientError(.storage, "\(text): \(String(cString: strerror(reason)))")
  }
}
