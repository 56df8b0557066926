import Synchronization

/// Holds tasks until a test opens it, and tells how many wait.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var arrivals = 0
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  /// Waits until the gate is open.
  func pass() async {
    await withCheckedContinuation { continuation in
      let (isOpen, reached) = state.withLock { state in
        state.arrivals += 1
        let arrivals = state.arrivals
        let reached = state.watchers.filter { $0.count <= arrivals }.map(\.continuation)
        state.watchers.removeAll { $0.count <= arrivals }
        if !state.isOpen { state.waiting.append(continuation) }
        return (state.isOpen, reached)
      }
      if isOpen { continuation.resume() }
      for watcher in reached { watcher.resume() }
    }
  }

  /// Opens the gate for good.
  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns when so many tasks have arrived.
  func waitForArrivals(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.arrivals >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isReached { continuation.resume() }
    }
  }
}
