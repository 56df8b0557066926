import AuthNetworking
import Synchronization

/// Clocks that the simulation moves on, from one sleeper's end to the next.
final class SimulationClock: Sendable {
  private struct Sleeper {
    var until: Duration
    var number: Int
    var continuation: UnsafeContinuation<Bool, Never>
  }

  private struct State {
    var now = Duration.zero
    var wallOffset = 1_700_000_000.0
    var sleepers: [Sleeper] = []
    var cancelled: Set<Int> = []
    var count = 0
  }

  private let state = Mutex(State())

  var now: Duration { state.withLock { $0.now } }

  var wall: Double { state.withLock { $0.wallOffset + $0.now / .seconds(1) } }

  /// As a user sets the device's clock.
  func shiftWall(by seconds: Double) { state.withLock { $0.wallOffset += seconds } }

  /// When the next sleeper wakes; nil where nobody sleeps.
  var nextWake: Duration? { state.withLock { $0.sleepers.map(\.until).min() } }

  /// Moves on to an instant, and wakes whose time has come.
  func advance(to instant: Duration) {
    let due = state.withLock { state in
      state.now = max(state.now, instant)
      let due = state.sleepers.filter { $0.until <= state.now }
      state.sleepers.removeAll { $0.until <= state.now }
      return due.sorted { ($0.until, $0.number) < ($1.until, $1.number) }
    }
    for sleeper in due { sleeper.continuation.resume(returning: true) }
  }

  func sleep(for duration: Duration) async throws {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    let isDue = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let isCancelled = state.withLock { state in
          if state.cancelled.remove(number) != nil { return true }
          let until = state.now + max(duration, .zero)
          state.sleepers.append(Sleeper(until: until, number: number, continuation: continuation))
          return false
        }
        if isCancelled { continuation.resume(returning: false) }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(returning: false)
    }
    if !isDue { throw CancellationError() }
  }
}
