internal import Synchronization

/// A value that one task waits for and anyone may give; the first one counts.
package final class OneShot<Value: Sendable>: Sendable {
  private enum State {
    case open
    case waiting(CheckedContinuation<Value, Never>)
    case given(Value)
  }

  private let state = Mutex(State.open)

  package init() {}

  package func give(_ value: Value) {
    let waiter = state.withLock { state -> CheckedContinuation<Value, Never>? in
      switch state {
      case .open:
        state = .given(value)
        return nil
      case .waiting(let waiter):
        state = .given(value)
        return waiter
      case .given: return nil
      }
    }
    waiter?.resume(returning: value)
  }

  /// Waits; only one task may.
  package var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let given = state.withLock { state -> Value? in
          if case .given(let value) = state { return value }
          state = .waiting(continuation)
          return nil
        }
        if let given { continuation.resume(returning: given) }
      }
    }
  }
}
