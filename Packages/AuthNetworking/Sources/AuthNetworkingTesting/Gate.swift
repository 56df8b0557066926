internal import Synchronization

/// A place where tasks wait until a test lets them go on, and where a test waits for them.
public final class Gate: Sendable {
  private struct State {
    var isOpen: Bool
    var arrivals = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var cancelled: Set<Int> = []
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<State>

  /// A gate, shut unless said otherwise.
  public init(isOpen: Bool = false) { state = Mutex(State(isOpen: isOpen)) }

  /// Lets everybody through, now and later.
  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Holds up who comes from now on.
  public func shut() { state.withLock { $0.isOpen = false } }

  /// How many have come so far, let through or not.
  public var arrivals: Int { state.withLock { $0.arrivals } }

  /// Waits until that many have come since the beginning.
  public func arrival(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.arrivals >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Comes to the gate, and waits there until it is open or the task is cancelled.
  public func pass() async {
    let (number, watchers) = state.withLock { state in
      state.arrivals += 1
      let ready = state.watchers.filter { $0.count <= state.arrivals }
      state.watchers.removeAll { $0.count <= state.arrivals }
      return (state.arrivals, ready.map(\.continuation))
    }
    for watcher in watchers { watcher.resume() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          if state.isOpen || state.cancelled.contains(number) { return true }
          state.waiting[number] = continuation
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.cancelled.insert(number)
        return state.waiting.removeValue(forKey: number)
      }
      waiting?.resume()
    }
  }
}
