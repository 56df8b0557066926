internal import Synchronization

/// Hands states to all observers: the present one first, then each in order (R13).
///
/// States are queued under the caller's lock and handed out under this one, so that order is
/// kept and no observer is met with the session's lock held.
final class StateBroadcaster: Sendable {
  private struct State {
    var last = SessionState.unknown
    var observers: [Int: AsyncStream<SessionState>.Continuation] = [:]
    var count = 0
  }

  private let state = Mutex(State())

  /// Hands out what `next` gives, until it gives nil.
  func deliver(_ next: () -> SessionState?) {
    state.withLock { state in StateBroadcaster.drain(&state, next) }
  }

  /// A new observer's stream; what is queued counts as present already.
  func stream(_ next: () -> SessionState?) -> AsyncStream<SessionState> {
    let (stream, continuation) = AsyncStream<SessionState>.makeStream()
    let number = state.withLock { state in
      StateBroadcaster.drain(&state, next)
      state.count += 1
      continuation.yield(state.last)
      state.observers[state.count] = continuation
      return state.count
    }
    continuation.onTermination = { [weak self] _ in
      // In a task of its own: whoever cancels holds the lock of the task that reads, and whoever
      // yields to it waits for that lock with ours held.
      Task { self?.remove(number) }
    }
    return stream
  }

  private func remove(_ number: Int) {
    state.withLock { state in _ = state.observers.removeValue(forKey: number) }
  }

  private static func drain(_ state: inout State, _ next: () -> SessionState?) {
    while let value = next() {
      state.last = value
      for observer in state.observers.values { observer.yield(value) }
    }
  }

  deinit {
    state.withLock { state in for observer in state.observers.values { observer.finish() } }
  }
}
