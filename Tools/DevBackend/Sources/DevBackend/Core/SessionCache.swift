/// Opaque sessions that were looked up a moment ago: pure, without clock or lock.
///
/// It only spares look-ups. Whoever uses it asks the deny-list too, so that a session that was
/// ended while it was being looked up is not let in by the answer that was on its way.
struct SessionCache: Sendable {
  private struct Entry {
    let principal: Principal
    let readAt: Int64
  }

  /// No look-up is trusted for longer, in milliseconds (seed 004).
  static let longestLifetime: Int64 = 60_000

  /// How long a look-up is trusted, in milliseconds; 0 for not at all.
  let lifetime: Int64
  /// More sessions are not kept.
  let capacity: Int
  private var entries: [TokenHash: Entry] = [:]
  private var hashes: [String: TokenHash] = [:]

  init(lifetime: Int64, capacity: Int = 100_000) {
    self.lifetime = min(max(lifetime, 0), Self.longestLifetime)
    self.capacity = max(capacity, 1)
  }

  /// How many sessions are kept.
  var count: Int { entries.count }

  /// The session of a token, where it was looked up lately and has not expired.
  func principal(_ hash: TokenHash, at now: Int64) -> Principal? {
    guard let entry = entries[hash], isFresh(entry, now) else { return nil }
    return entry.principal
  }

  /// Keeps what a look-up found.
  mutating func store(_ principal: Principal, _ hash: TokenHash, at now: Int64) {
    guard lifetime > 0 else { return }
    if entries.count >= capacity, entries[hash] == nil { makeRoom(now) }
    entries[hash] = Entry(principal: principal, readAt: now)
    hashes[principal.sessionID] = hash
  }

  /// Forgets a session, which has ended.
  mutating func remove(session id: String) {
    if let hash = hashes.removeValue(forKey: id) { entries[hash] = nil }
  }

  private func isFresh(_ entry: Entry, _ now: Int64) -> Bool {
    // A clock that was set back makes nothing younger than it is.
    (0..<lifetime).contains(now - entry.readAt) && now < entry.principal.expiresAt
  }

  private mutating func makeRoom(_ now: Int64) {
    entries = entries.filter { isFresh($0.value, now) }
    // All in use: looking them up once more costs less than keeping an order of use.
    if entries.count >= capacity { entries = [:] }
    hashes = hashes.filter { entries[$0.value] != nil }
  }
}
