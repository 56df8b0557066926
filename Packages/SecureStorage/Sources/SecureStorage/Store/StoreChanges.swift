internal import Synchronization

/// Tells a store's observers of commits, in the order of their generations.
final class StoreChanges: Sendable {
  private struct State {
    var generation: UInt64 = 0
    var nextID = 0
    var observers: [Int: @Sendable (StoreChange) -> Void] = [:]
  }

  private let state = Mutex(State())

  /// Adds an observer, which is called one commit at a time and must not call back in here.
  func add(_ observer: @escaping @Sendable (StoreChange) -> Void) -> Int {
    state.withLock { state in
      state.nextID += 1
      state.observers[state.nextID] = observer
      return state.nextID
    }
  }

  func remove(_ id: Int) {
    state.withLock { state in _ = state.observers.removeValue(forKey: id) }
  }

  func publish(_ change: StoreChange) {
    state.withLock { state in
      // The watcher of files sees our own commits too, and may see several at once.
      guard change.generation > state.generation else { return }
      state.generation = change.generation
      for observer in state.observers.values { observer(change) }
    }
  }

  /// What was committed before anybody observed is not told.
  func begin(at generation: UInt64) {
    state.withLock { state in state.generation = max(state.generation, generation) }
  }
}
