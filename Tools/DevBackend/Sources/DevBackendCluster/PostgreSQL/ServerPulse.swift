internal import Synchronization

/// When a server last said something, on any of the connections to it.
final class ServerPulse: Sendable {
  private let last = Mutex(ContinuousClock.now)

  /// The instant.
  var heardAt: ContinuousClock.Instant { last.withLock { $0 } }

  /// It says something now.
  func heard() { last.withLock { $0 = .now } }
}
