import Synchronization

@testable import HeadlessClient

/// A clock of a test's own: whoever waits has waited at once, and that much later it is.
final class VirtualCommandClock: Sendable {
  private let state = Mutex(Duration.zero)

  /// How much later it is by now.
  var elapsed: Duration { state.withLock { $0 } }

  /// Lets time go by.
  func advance(by duration: Duration) { state.withLock { $0 += duration } }

  /// The clock as commands use it.
  var clock: CommandClock {
    CommandClock(now: { self.elapsed }, sleep: { self.advance(by: $0) })
  }
}
