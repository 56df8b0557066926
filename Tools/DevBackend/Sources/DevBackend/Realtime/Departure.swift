internal import Synchronization

/// Whether a realtime server is about to go; its calls and streams look at it.
final class Departure: Sendable {
  private let isAnnounced = Atomic(false)

  /// Whether it is.
  var isNear: Bool { isAnnounced.load(ordering: .acquiring) }

  /// From now on no call is taken, and streams end when they look the next time.
  func announce() { isAnnounced.store(true, ordering: .releasing) }
}
