internal import SecureStorage

/// Keeps all others who share a stored session from refreshing at the same time (R1), across
/// tasks, objects and processes.
public protocol RefreshLock: Sendable {
  /// Takes the lock, waiting without blocking a thread of the pool.
  ///
  /// - Parameter timeout: the most time to wait for whoever holds it.
  /// - Returns: the lock, held until it is released.
  /// - Throws: ``RefreshLockError``, also when the task is cancelled.
  func acquire(timeout: Duration) async throws(RefreshLockError) -> any HeldRefreshLock
}

/// A lock that is held until it is released, or until its process dies.
public protocol HeldRefreshLock: Sendable {
  /// Gives the lock back, at once; a second call does nothing.
  func release()
}

/// Why the refresh lock could not be taken.
///
/// Temporary: without the lock nothing is sent.
public struct RefreshLockError: Error, Equatable, Sendable {
  /// What happened, for programs.
  public enum Code: Sendable {
    /// Somebody held it for longer than the time given.
    case busy
    /// The caller's task was cancelled.
    case cancelled
    /// The lock file cannot be used.
    case unusable
  }

  /// What happened, for programs.
  public let code: Code
  /// What happened, for people.
  public let message: String

  /// An error from its parts.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension RefreshLockError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension AuthError {
  /// The error of a lock that could not be taken: temporary, nothing was sent (R1).
  init(_ error: RefreshLockError) {
    switch error.code {
    case .busy: self.init(.timeout, error.message)
    case .cancelled: self.init(.cancelled, error.message)
    case .unusable: self.init(StorageError(.io, error.message, advice: "Check the directory"))
    }
  }
}
