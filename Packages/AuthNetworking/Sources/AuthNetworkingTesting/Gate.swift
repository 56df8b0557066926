internal import Synchronization

/// A place where tasks wait until a test lets them go on, and where a test waits for them.
public final class Gate: Sendable {
  private struct State {
    var isOpen: Bool
    var arrivals = 0
    /// Names who waits; unlike the arrivals it never starts anew.
    var serial = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var cancelled: Set<Int> = []
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<State>

  /// A gate, shut unless said otherwise.
  public init(isOpen: Bool = false) { state = Mutex(State(isOpen: isOpen)) }

  /// Lets everybody through, now and later.
  public func open() { letThrough(isOpen: true) }

  /// Lets everybody through who waits now, and stays shut for who comes later.
  public func release() { letThrough(isOpen: false) }

  /// Holds up who comes from now on, and counts arrivals anew.
  public func shut() {
    state.withLock { state in
      state.isOpen = false
      state.arrivals = 0
    }
  }

  private func letThrough(isOpen: Bool) {
    let waiting = state.withLock { state in
      state.isOpen = isOpen
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for continuation in waiting { continuation.resume() }
  }

  /// How many have come since the gate was last shut, let through or not.
  public var arrivals: Int { state.withLock { $0.arrivals } }

  /// Waits until that many have come since the gate was last shut: who came before is not taken for
  /// who is held up.
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
    let number = state.withLock { state in
      state.serial += 1
      return state.serial
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (goesOn, watchers) = state.withLock { state in
          let goesOn = state.isOpen || state.cancelled.contains(number)
          // In one step with the arrival: who has heard of that may let go on who waits.
          if !goesOn { state.waiting[number] = continuation }
          state.arrivals += 1
          let ready = state.watchers.filter { $0.count <= state.arrivals }
          state.watchers.removeAll { $0.count <= state.arrivals }
          return (goesOn, ready.map(\.continuation))
        }
        for watcher in watchers { watcher.resume() }
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
