internal import SessionModels
internal import Synchronization

/// What a transaction found in the place of what it stored, to revoke it at the server.
final class ReplacedSession: Sendable {
  private struct State {
    var isNoted = false
    var info: AuthInfo?
  }

  private let state = Mutex(State())

  /// Called within the transaction; of several runs of one the last counts.
  func note(_ info: AuthInfo?) { state.withLock { $0 = State(isNoted: true, info: info) } }

  /// Whether the transaction got as far as storing something.
  var isNoted: Bool { state.withLock { $0.isNoted } }

  /// What was stored before; nil where nobody was signed in.
  var info: AuthInfo? { state.withLock { $0.info } }
}
