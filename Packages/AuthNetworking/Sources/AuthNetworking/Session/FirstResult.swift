internal import Synchronization

/// The first of several results, for one who waits; the others are dropped.
final class FirstResult<Value: Sendable>: Sendable {
  private enum State {
    case open
    case waiting(CheckedContinuation<Value, Never>)
    case done(Value)
  }

  private let state = Mutex(State.open)

  /// Gives a result; all but the first do nothing.
  func resolve(_ value: Value) {
    let waiter = state.withLock { state -> CheckedContinuation<Value, Never>? in
      switch state {
      case .done: return nil
      case .open:
        state = .done(value)
        return nil
      case .waiting(let continuation):
        state = .done(value)
        return continuation
      }
    }
    waiter?.resume(returning: value)
  }

  /// The first result; to be awaited once.
  var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let value = state.withLock { state -> Value? in
          if case .done(let value) = state { return value }
          state = .waiting(continuation)
          return nil
        }
        if let value { continuation.resume(returning: value) }
      }
    }
  }
}
