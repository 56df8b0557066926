import Dispatch
import Synchronization

/// A door that tests and server scripts wait at until somebody opens it.
final class Latch: Sendable {
  private let state = Mutex(State())

  private struct State {
    var isOpen = false
    var waiters: [@Sendable () -> Void] = []
  }

  /// Lets everybody through, now and later.
  func open() {
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      state.isOpen = true
      return state.waiters
    }
    for waiter in waiters { waiter() }
  }

  /// Waits in a task; a test that runs out of time goes through as well, and fails.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in whenOpen { continuation.resume() } }
    } onCancel: {
      open()
    }
  }

  /// Waits on a script's own thread.
  func waitBlocking() {
    let semaphore = DispatchSemaphore(value: 0)
    whenOpen { semaphore.signal() }
    semaphore.wait()
  }

  private func whenOpen(_ waiter: @escaping @Sendable () -> Void) {
    let isOpen = state.withLock { state in
      if !state.isOpen { state.waiters.append(waiter) }
      return state.isOpen
    }
    if isOpen { waiter() }
  }
}
