internal import Dispatch
internal import Synchronization

/// Whether the instance takes work, and how much it has in hand.
final class Lifecycle: Sendable {
  private struct State {
    var isStopping = false
    var drills = 0
    var inFlight = 0
    var waiters: [DispatchSemaphore] = []
  }

  private let state = Mutex(State())

  /// Whether new work is refused.
  var isDraining: Bool { state.withLock { $0.isStopping || $0.drills > 0 } }

  /// Whether it is about to end for good.
  var isStopping: Bool { state.withLock(\.isStopping) }

  /// Requests that are not answered yet.
  var inFlight: Int { state.withLock(\.inFlight) }

  func begin() { state.withLock { $0.inFlight += 1 } }

  func end() {
    let waiters = state.withLock { state in
      state.inFlight -= 1
      guard state.inFlight == 0 else { return [DispatchSemaphore]() }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.signal() }
  }

  /// From now on new work is refused, until ``reopen()``.
  func stop() { state.withLock { $0.isStopping = true } }

  func reopen() { state.withLock { $0.isStopping = false } }

  /// New work is refused between the two, as a drill.
  func beginDrill() { state.withLock { $0.drills += 1 } }

  func endDrill() { state.withLock { $0.drills -= 1 } }

  /// Waits until nothing is in flight; blocks.
  ///
  /// - Returns: false where the time was over before.
  func waitUntilIdle(within limit: Duration) -> Bool {
    let semaphore = DispatchSemaphore(value: 0)
    let isIdle = state.withLock { state in
      if state.inFlight == 0 { return true }
      state.waiters.append(semaphore)
      return false
    }
    if isIdle { return true }
    let deadline = DispatchTime.now() + .milliseconds(Int(limit.milliseconds))
    return semaphore.wait(timeout: deadline) == .success
  }
}
