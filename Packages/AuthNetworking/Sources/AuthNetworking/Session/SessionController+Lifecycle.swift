internal import SessionModels
internal import Synchronization

extension SessionController {
  /// Call it when the app comes to the front: refreshes where needed, once for all concurrent
  /// calls.
  ///
  /// Needed is it where the access token has expired, and, since other devices or an operator may
  /// have ended the session, after more than ``SessionConfiguration/longAbsence`` in the
  /// background, by a clock that counts sleep; not where an extension has refreshed meanwhile. What
  /// failed before holds nothing up; only a `Retry-After` of the server's is waited for.
  ///
  /// Never throws a session away but for a definitive answer (R5): where the server cannot be
  /// asked it is `signedIn(.stale)`, or `.fresh` as long as the access token lives.
  ///
  /// An app that the system wakes in the background calls this before its work, and
  /// ``appWillResignActive(within:)`` after it.
  ///
  /// - Returns: the state that it comes to.
  /// - Throws: ``AuthError``: `storage` when the store could not be read or written, `cancelled`.
  public func appDidBecomeActive() async throws(AuthError) -> SessionState {
    readStore()
    return try await stateAfter { () async throws(AuthError) in
      _ = try await wait { .didBecomeActive($0) }
    }
  }

  /// Call it when the app leaves the front: no refresh begins from here on, and one that is under
  /// way comes to an end that a frozen process can be left in.
  ///
  /// A refresh that only waits for the lock is given up. One whose answer is awaited goes on until
  /// the new tokens are stored, for `bound` at most; then it is given up, with the lock, and the
  /// attempt stays written, to be resent under its id (R2, R3). What could not be stored earlier
  /// is tried once more.
  ///
  /// Until ``appDidBecomeActive()`` requests go out with a token that still lives; where it has
  /// expired they fail with ``AuthError/Code/suspended``.
  ///
  /// - Parameter bound: the most time to take, less than the system gives the app.
  /// - Returns: whether the process may be suspended now.
  public func appWillResignActive(
    within bound: Duration = .seconds(5)
  ) async -> SuspensionReadiness {
    let timer = TimerBox()
    defer { timer.cancel() }
    do {
      _ = try await wait {
        .willResignActive($0)
      } _: { waiter in
        timer.start { [clock] in
          guard (try? await clock.sleep(for: bound)) != nil else { return }
          self.feed(.resignationDue(waiter))
        }
      }
      return .ready
    } catch { return .notYet(error) }
  }
}

/// A task that is started once and cancelled at the end.
private final class TimerBox: Sendable {
  private let task = Mutex<Task<Void, Never>?>(nil)

  func start(_ body: @escaping @Sendable () async -> Void) {
    task.withLock { $0 = Task.detached { await body() } }
  }

  func cancel() { task.withLock { $0?.cancel() } }
}
