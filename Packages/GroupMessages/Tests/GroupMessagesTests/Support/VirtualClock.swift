import Synchronization

/// A clock that stands still until a test moves it.
final class VirtualClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var sleepers: [Int: Sleeper] = [:]
    var nextID = 0
  }

  private let state = Mutex(State())
  private let sleeping = Gauge()

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = state.withLock { state in
          if Task.isCancelled { return .failure(CancellationError()) }
          if deadline <= state.now { return .success(()) }
          state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
          sleeping.update { $0 = state.sleepers.count }
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      wake { key, _ in key == id }.forEach { $0.resume(throwing: CancellationError()) }
    }
  }

  /// Moves on, and wakes whoever is due.
  func advance(by duration: Duration) {
    let now = state.withLock { state in
      state.now.offset += duration
      return state.now
    }
    wake { _, deadline in deadline <= now }.forEach { $0.resume() }
  }

  /// Returns when at least one task sleeps, or so many.
  func waitForSleepers(_ count: Int = 1) async { await sleeping.wait(for: count) }

  private func wake(
    where isDue: (Int, Instant) -> Bool
  ) -> [CheckedContinuation<Void, any Error>] {
    state.withLock { state in
      let due = state.sleepers.filter { isDue($0.key, $0.value.deadline) }
      for id in due.keys { state.sleepers[id] = nil }
      sleeping.update { $0 = state.sleepers.count }
      return due.values.sorted { $0.deadline < $1.deadline }.map(\.continuation)
    }
  }
}
