import Synchronization

/// Something that happens once, and that any number of tasks wait for.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  func wait() async {
    await withCheckedContinuation { waiter in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiters.append(waiter) }
        return state.isOpen
      }
      if isOpen { waiter.resume() }
    }
  }

  /// Waits until the task is cancelled, which ends the wait.
  static func untilCancelled() async {
    let gate = Gate()
    await withTaskCancellationHandler {
      await gate.wait()
    } onCancel: {
      gate.open()
    }
  }
}
