public import AuthNetworking
internal import Synchronization

/// Clocks that stand still until a test moves them.
public final class VirtualClock: SessionClock {
  private struct Sleeper {
    var until: Duration
    var continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var monotonic = Duration.zero
    var starts = 1
    var wallOffset: Double
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    var count = 0
  }

  private let state: Mutex<State>

  /// Clocks that show zero, and on the wall these seconds since 1970.
  public init(wall: Double = 1_700_000_000) { state = Mutex(State(wallOffset: wall)) }

  deinit { wake { _ in true } }

  /// Time since the clock was made, as far as it was moved.
  public func monotonic() -> Duration { state.withLock { $0.monotonic } }

  /// What the device believes: moves with the monotonic clock, and can be set.
  public func wall() -> Double {
    state.withLock { state in state.wallOffset + state.monotonic / .seconds(1) }
  }

  /// Sets the device's clock, as a user might.
  public func setWall(_ seconds: Double) {
    state.withLock { state in state.wallOffset = seconds - state.monotonic / .seconds(1) }
  }

  /// The time since the clock was made, until ``restartDevice()``.
  public func uptime() -> DeviceUptime? {
    state.withLock { state in
      DeviceUptime(start: "start-\(state.starts)", seconds: state.monotonic / .seconds(1))
    }
  }

  /// From now on the uptime is that of another start, with which none of before compares.
  public func restartDevice() { state.withLock { $0.starts += 1 } }

  /// Moves both clocks on, and wakes who has slept long enough.
  public func advance(by duration: Duration) {
    state.withLock { $0.monotonic += duration }
    wake { [now = monotonic()] sleeper in sleeper <= now }
  }

  /// How many are asleep.
  public var sleepers: Int { state.withLock { $0.sleepers.count } }

  /// Sleeps until the clock is moved far enough.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func sleep(for duration: Duration) async throws {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    let isDue = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          if state.cancelled.remove(number) != nil { return false }
          if duration <= .zero { return true }
          state.sleepers[number] = Sleeper(
            until: state.monotonic + duration,
            continuation: continuation
          )
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: number)
        if sleeper == nil { state.cancelled.insert(number) }
        return sleeper
      }
      sleeper?.continuation.resume(returning: false)
    }
    if !isDue { throw CancellationError() }
  }

  private func wake(_ isDue: (Duration) -> Bool) {
    let due = state.withLock { state in
      let due = state.sleepers.filter { isDue($0.value.until) }
      for number in due.keys { state.sleepers.removeValue(forKey: number) }
      return due.values.sorted { $0.until < $1.until }
    }
    for sleeper in due { sleeper.continuation.resume(returning: true) }
  }
}
