internal import Realtime

/// Says on the side how the connection of a watch is: lost, waited for until when, and back.
///
/// A value without clock: the first connection is no news, nor is what was said already.
struct ConnectionNotes: Sendable {
  private var isLost = false
  private var lastUntil: ContinuousClock.Instant?

  /// What to say of a state.
  ///
  /// - Parameters:
  ///   - state: the client's.
  ///   - now: the same clock's time.
  ///   - wall: the time on the wall, in seconds since 1970.
  ///   - clock: writes it for people.
  /// - Returns: the note; nil for none.
  mutating func note(
    on state: RealtimeState,
    now: ContinuousClock.Instant,
    wall: Double,
    clock: WallTime
  ) -> String? {
    switch state {
    case .waiting(let until):
      // A pause that is announced again, as when a second one begins beside it.
      if let lastUntil, until <= lastUntil { return nil }
      (isLost, lastUntil) = (true, until)
      let seconds = max(0, (until - now) / .seconds(1))
      let tenths = Int((seconds * 10).rounded(.up))
      return "not connected; waiting until \(clock.second(wall + seconds)) "
        + "(\(tenths / 10).\(tenths % 10) s), then trying again"
    case .ready:
      defer { (isLost, lastUntil) = (false, nil) }
      return isLost ? "connected again" : nil
    case .idle, .connecting, .shutDown: return nil
    }
  }
}
