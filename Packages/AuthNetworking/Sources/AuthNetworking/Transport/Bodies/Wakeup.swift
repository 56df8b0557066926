internal import Synchronization

/// A signal for one task that waits; one that comes before it waits is not lost.
final class Wakeup: Sendable {
  private enum State {
    case none
    case signalled
    case waiting(CheckedContinuation<Void, Never>)
  }

  private let state = Mutex(State.none)

  func signal() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if case .waiting(let continuation) = state {
        state = .none
        return continuation
      }
      state = .signalled
      return nil
    }
    waiter?.resume()
  }

  /// Waits for a signal, or until the task is cancelled.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isSignalled = state.withLock { state in
          if case .signalled = state {
            state = .none
            return true
          }
          state = .waiting(continuation)
          return false
        }
        if isSignalled { continuation.resume() }
      }
    } onCancel: {
      signal()
    }
  }
}
