#if canImport(Darwin)
internal import Darwin
#elseif canImport(Android)
internal import Android
#else
internal import Glibc
#endif

/// Until when something may take.
struct Deadline: Sendable {
  private let end: ContinuousClock.Instant

  init(in duration: Duration) { end = .now + duration }

  init(at instant: ContinuousClock.Instant) { end = instant }

  /// Milliseconds that are left, rounded up, for `poll`; 0 when it is over.
  var milliseconds: Int32 {
    let left = ContinuousClock.now.duration(to: end)
    guard left > .zero else { return 0 }
    let (seconds, attoseconds) = left.components
    return Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
  }

  var isOver: Bool { milliseconds == 0 }

  /// Waits until a descriptor is ready; blocks.
  ///
  /// - Returns: false when the time is over.
  func wait(for events: Int32, on descriptor: Int32) -> Bool {
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      let count = poll(&entry, 1, milliseconds)
      if count > 0 { return true }
      if count == 0 && isOver { return false }
      // Interrupted by a signal, or a little early; another failure is found by who reads on.
      if count < 0 && errno != EINTR { return true }
    }
  }
}
