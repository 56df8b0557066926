import Realtime
import Testing

@testable import HeadlessClient

struct ConnectionNotesTests {
  private let clock = WallTime { seconds in [2026, 1, 1, 0, Int(seconds) / 60, Int(seconds) % 60] }

  private func said(_ states: (RealtimeState, Int)...) -> [String?] {
    let start = ContinuousClock.now
    var notes = ConnectionNotes()
    return states.map { state, seconds in
      let state: RealtimeState =
        if case .waiting = state { .waiting(until: start + .seconds(seconds)) } else { state }
      return notes.note(on: state, now: start, wall: 100, clock: clock)
    }
  }

  private let waiting = RealtimeState.waiting(until: .now)

  @Test func `The first connection is no news`() {
    #expect(said((.idle, 0), (.connecting, 0), (.ready, 0)) == [nil, nil, nil])
  }

  @Test func `A loss is told with the time that it waits until, and the end of it`() {
    #expect(
      said((.ready, 0), (waiting, 5), (.connecting, 0), (waiting, 20), (.ready, 0), (.ready, 0))
        == [
          nil, "not connected; waiting until 00:01:45 (5.0 s), then trying again", nil,
          "not connected; waiting until 00:02:00 (20.0 s), then trying again", "connected again",
          nil,
        ]
    )
  }

  @Test func `A wait is told once`() {
    #expect(said((waiting, 5), (waiting, 5)).compactMap { $0 }.count == 1)
  }
}
