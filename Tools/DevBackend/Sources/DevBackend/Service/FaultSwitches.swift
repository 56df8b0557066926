internal import Synchronization

/// What tests tell the backend to do wrong, and what they count.
final class FaultSwitches: Sendable {
  private struct State {
    var refreshAnswersToLose = 0
    var accessTokensEndedAt = Int64.min
    var requests: [String: Int] = [:]
  }

  private let state = Mutex(State())

  func loseRefreshAnswers(_ count: Int) {
    state.withLock { $0.refreshAnswersToLose = max(0, count) }
  }

  /// Whether the answer to the refresh that was just committed is to be lost; counts down.
  func takesRefreshAnswer() -> Bool {
    state.withLock { state in
      guard state.refreshAnswersToLose > 0 else { return false }
      state.refreshAnswersToLose -= 1
      return true
    }
  }

  func endAccessTokens(now: Int64) { state.withLock { $0.accessTokensEndedAt = now } }

  /// Access tokens made at or before this instant are taken for expired.
  var accessTokensEndedAt: Int64 { state.withLock(\.accessTokensEndedAt) }

  func countRequest(_ route: String) { state.withLock { $0.requests[route, default: 0] += 1 } }

  func requests(_ route: String) -> Int { state.withLock { $0.requests[route] ?? 0 } }
}
