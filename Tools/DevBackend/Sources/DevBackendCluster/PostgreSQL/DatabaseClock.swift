internal import DevBackend
internal import Synchronization

/// The database server's time of day, told without asking it each time.
///
/// What instances compare, such as when a token was spent, must be told by one clock, or the grace
/// window would be longer on one machine and shorter on another. So each instance measures how far
/// its own clock is from the server's, and corrects it.
final class DatabaseClock: Sendable {
  /// A measurement is good for so long.
  private static let interval: Duration = .seconds(10)

  private struct State {
    /// What is to be added to the local clock, in milliseconds.
    var offset: Int64 = 0
    var measuredAt: ContinuousClock.Instant?
  }

  private let local: BackendClock
  private let state = Mutex(State())

  init(local: BackendClock = .system) { self.local = local }

  /// In milliseconds since 1970.
  var now: Int64 { local.now() + state.withLock(\.offset) }

  /// Measures on a connection, between two transactions, where that was not done lately; blocks.
  func follow(_ connection: PostgreSQLConnection) {
    let instant = ContinuousClock.now
    let isDue = state.withLock { state in
      if let last = state.measuredAt, last + Self.interval > instant { return false }
      state.measuredAt = instant
      return true
    }
    guard isDue else { return }
    let before = local.now()
    let rows = try? connection.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
    guard let server = rows?.first?.integer(0) else {
      return state.withLock { $0.measuredAt = nil }
    }
    note(server: server, asked: before, answered: local.now())
  }

  /// Takes one measurement in: the server's time lies between the asking and the answer.
  func note(server: Int64, asked: Int64, answered: Int64) {
    let offset = server - (asked + (answered - asked) / 2)
    let uncertainty = max(1, answered - asked)
    state.withLock { state in
      // What lies within the uncertainty is no news, and time would only jump about.
      if abs(offset - state.offset) > uncertainty { state.offset = offset }
    }
  }
}
