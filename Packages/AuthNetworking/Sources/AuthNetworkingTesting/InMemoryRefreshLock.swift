public import AuthNetworking
internal import Synchronization

/// A refresh lock for the controllers of one test; who comes first is served first.
public final class InMemoryRefreshLock: RefreshLock {
  private struct State {
    var isHeld = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var failure: RefreshLockError?
    var acquisitions = 0
  }

  private let state = Mutex(State())

  /// A free lock.
  public init() {}

  /// From now on nobody gets the lock, as if another process held it; nil ends that.
  public func refuse(with error: RefreshLockError?) { state.withLock { $0.failure = error } }

  /// How often the lock was taken.
  public var acquisitions: Int { state.withLock { $0.acquisitions } }

  /// Whether somebody has it.
  public var isHeld: Bool { state.withLock { $0.isHeld } }

  /// Takes the lock; waits without a deadline, since virtual time has none of its own.
  ///
  /// - Throws: what ``refuse(with:)`` was given.
  public func acquire(timeout: Duration) async throws(RefreshLockError) -> any HeldRefreshLock {
    if let failure = state.withLock({ $0.failure }) { throw failure }
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isHeld {
          state.waiting.append(continuation)
          return false
        }
        state.isHeld = true
        return true
      }
      if isFree { continuation.resume() }
    }
    state.withLock { $0.acquisitions += 1 }
    return Held(self)
  }

  fileprivate func release() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.waiting.isEmpty {
        state.isHeld = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}

private final class Held: HeldRefreshLock {
  private let lock: InMemoryRefreshLock
  private let isReleased = Atomic(false)

  init(_ lock: InMemoryRefreshLock) { self.lock = lock }

  func release() {
    if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { lock.release() }
  }

  deinit { release() }
}
