public import GRPC
internal import Synchronization

/// A clock that stands still until a test moves it.
public final class VirtualGRPCClock: GRPCClock {
  private struct Sleeper {
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = ContinuousClock.now
    var timeAsleep = Duration.zero
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    var lastNumber = 0
    var observers: [CheckedContinuation<Duration, Never>] = []

    var shortestSleep: Duration? { sleepers.values.map(\.deadline).min().map { $0 - now } }
  }

  private let state = Mutex(State())

  /// A clock that shows the present time, and stays there.
  public init() {}

  /// The time it stands at.
  public var now: ContinuousClock.Instant { state.withLock { $0.now } }

  /// How long ``sleep(for:)`` has let the device sleep.
  public var timeAsleep: Duration { state.withLock { $0.timeAsleep } }

  /// Moves the clock as the sleep of a device does: the clock that counts sleep goes on.
  public func sleep(for duration: Duration) {
    state.withLock { $0.timeAsleep += duration }
    advance(by: duration)
  }

  /// Suspends until the clock is moved to `deadline` or beyond.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until deadline: ContinuousClock.Instant) async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        add(Sleeper(deadline: deadline, continuation: continuation), number)
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        if state.sleepers[number] == nil { state.cancelled.insert(number) }
        return state.sleepers.removeValue(forKey: number)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Moves the clock, and wakes who slept until then.
  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now += duration
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.values.sorted { $0.deadline < $1.deadline }
    }
    for sleeper in due { sleeper.continuation.resume() }
  }

  /// Waits until somebody sleeps.
  ///
  /// - Returns: how long the first to wake still sleeps.
  public func nextSleep() async -> Duration {
    await withCheckedContinuation { observer in
      let rest = state.withLock { state -> Duration? in
        if let rest = state.shortestSleep { return rest }
        state.observers.append(observer)
        return nil
      }
      if let rest { observer.resume(returning: rest) }
    }
  }

  private func add(_ sleeper: Sleeper, _ number: Int) {
    let (isCancelled, isDue, observers, rest) = state.withLock { state in
      if state.cancelled.remove(number) != nil {
        return (true, false, [CheckedContinuation<Duration, Never>](), Duration.zero)
      }
      if sleeper.deadline <= state.now { return (false, true, [], .zero) }
      state.sleepers[number] = sleeper
      defer { state.observers = [] }
      return (false, false, state.observers, state.shortestSleep ?? .zero)
    }
    if isCancelled { return sleeper.continuation.resume(throwing: CancellationError()) }
    if isDue { return sleeper.continuation.resume() }
    for observer in observers { observer.resume(returning: rest) }
  }
}
