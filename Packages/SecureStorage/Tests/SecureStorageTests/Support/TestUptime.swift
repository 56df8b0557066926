import Synchronization

/// A monotonic clock that stands still unless it is moved.
final class TestUptime: Sendable {
  private let time = Mutex(Duration.zero)

  var now: Duration { time.withLock { $0 } }

  func advance(_ step: Duration) { time.withLock { $0 += step } }
}
