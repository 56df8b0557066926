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

  init(_ denied: [(id: String, reason: RevocationReason, until: Int64)]) {
    var entries: [String: Entry] = [:]
    for (id, reason, until) in denied { entries[id] = Entry(reason: reason, until: until) }
    self.entries = Mutex(entries)
  }

  func insert(_ revoked: [Revoked], now: Int64) {
    entries.withLock { entries in
      entries = entries.filter { $0.value.until > now }
      for session in revoked {
        entries[session.sessionID] = Entry(reason: session.reason, until: session.accessUntil)
      }
    }
  }

  /// Why a session's access tokens are refused; nil where they are not.
  func reason(for sessionID: String) -> RevocationReason? {
    entries.withLock { $0[sessionID]?.reason }
  }
}
