import Synchronization

/// A number that tests wait for.
///
/// A wait ends as well when its task is cancelled, so that a test that fails by its time limit
/// ends.
final class Gauge: Sendable {
  private struct Waiter {
    let value: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var value = 0
    var waiters: [Int: Waiter] = [:]
    var nextID = 0
  }

  private let state = Mutex(State())

  /// Sets the number, and releases whom it is high enough for.
  func update(_ change: (inout Int) -> Void) {
    let released = state.withLock { state in
      change(&state.value)
      let released = state.waiters.filter { $0.value.value <= state.value }
      for id in released.keys { state.waiters[id] = nil }
      return released.values
    }
    for waiter in released { waiter.continuation.resume() }
  }

  /// Returns when the number is at least this.
  func wait(for value: Int) async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.value >= value || Task.isCancelled { return true }
          state.waiters[id] = Waiter(value: value, continuation: continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume()
    }
  }
}
