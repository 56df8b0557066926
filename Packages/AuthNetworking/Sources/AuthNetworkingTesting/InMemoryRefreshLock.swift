public import AuthNetworking
internal import Synchronization

/// A refresh lock for the controllers of one test; who comes first is served first.
public final class InMemoryRefreshLock: RefreshLock {
  private struct State {
    var isHeld = false
    var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    var cancelled: Set<Int> = []
    var count = 0
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

  /// How many wait for it.
  public var waiters: Int { state.withLock { $0.waiting.count } }

  /// Whether somebody has it.
  public var isHeld: Bool { state.withLock { $0.isHeld } }

  /// Takes the lock; waits without a deadline, since virtual time has none of its own.
  ///
  /// - Throws: what ``refuse(with:)`` was given; `cancelled` when the task is.
  public func acquire(timeout: Duration) async throws(RefreshLockError) -> any HeldRefreshLock {
    if let failure = state.withLock({ $0.failure }) { throw failure }
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    let isTaken = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          if state.cancelled.remove(number) != nil { return false }
          if state.isHeld {
            state.waiting.append((number, continuation))
            return nil
          }
          state.isHeld = true
          return true
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      cancel(number)
    }
    guard isTaken else { throw RefreshLockError(.cancelled, "The wait was cancelled") }
    state.withLock { $0.acquisitions += 1 }
    return Held(self)
  }

  private func cancel(_ number: Int) {
    let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
        state.cancelled.insert(number)
        return nil
      }
      return state.waiting.remove(at: index).continuation
    }
    waiter?.resume(returning: false)
  }

  fileprivate func release() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if state.waiting.isEmpty {
        state.isHeld = false
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
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
