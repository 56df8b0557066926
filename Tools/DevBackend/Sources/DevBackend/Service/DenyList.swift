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

  private let entries: Mutex<[String: Entry]>

  init(_ denied: [Revoked]) {
    let entries = denied.map { ($0.sessionID, Entry(reason: $0.reason, until: $0.accessUntil)) }
    self.entries = Mutex(Dictionary(entries) { first, _ in first })
  }

  func insert(_ revoked: [Revoked], now: Int64) {
    entries.withLock { entries in
      entries = entries.filter { $0.value.until > now }
      for session in revoked {
        entries[session.sessionID] = Entry(reason: session.reason, until: session.accessUntil)
      }
    }
  }

  /// How many sessions are on it.
  var count: Int { entries.withLock(\.count) }

  /// Why a session's access tokens are refused; nil where they are not.
  func reason(for sessionID: String) -> RevocationReason? {
    entries.withLock { $0[sessionID]?.reason }
  }
}
