internal import Synchronization

/// Sessions whose access tokens are refused though they have not expired (seed 004).
///
/// An entry lives as long as a token of its session can. It is rebuilt from the database at
/// start, so that a restart lets no revoked token in.
final class DenyList: Sendable {
  private struct Entry {
    let reason: RevocationReason
    let until: Int64
  }

  private struct State {
    var entries: [String: Entry]
    /// Entries whose time is over are dropped when there are so many: looking through all of them
    /// at each revocation would hold up every request.
    var limit = DenyList.leastLimit
  }

  private static let leastLimit = 1_024

  private let state: Mutex<State>

  init(_ denied: [Revoked]) {
    let entries = denied.map { ($0.sessionID, Entry(reason: $0.reason, until: $0.accessUntil)) }
    state = Mutex(State(entries: Dictionary(entries) { first, _ in first }))
  }

  func insert(_ revoked: [Revoked], now: Int64) {
    state.withLock { state in
      for session in revoked {
        state.entries[session.sessionID] = Entry(
          reason: session.reason,
          until: session.accessUntil
        )
      }
      guard state.entries.count >= state.limit else { return }
      state.entries = state.entries.filter { $0.value.until > now }
      state.limit = max(Self.leastLimit, state.entries.count * 2)
    }
  }

  /// How many sessions are on it.
  var count: Int { state.withLock(\.entries.count) }

  /// Why a session's access tokens are refused; nil where they are not.
  func reason(for sessionID: String) -> RevocationReason? {
    state.withLock { $0.entries[sessionID]?.reason }
  }
}
