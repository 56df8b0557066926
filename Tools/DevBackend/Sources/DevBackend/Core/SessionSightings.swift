/// When sessions were last seen, until that is written down: pure, without clock or lock.
///
/// A signed token is let in without the database; writing a row for each request would undo that.
struct SessionSightings: Sendable {
  /// More sessions are not noted between two writes; the others are seen again soon enough.
  let capacity: Int
  private var seen: [String: Int64] = [:]

  init(capacity: Int = 100_000) { self.capacity = max(capacity, 1) }

  /// Notes that a session made a request, in milliseconds since 1970.
  mutating func note(_ sessionID: String, at now: Int64) {
    if let known = seen[sessionID] {
      seen[sessionID] = max(known, now)
    } else if seen.count < capacity {
      seen[sessionID] = now
    }
  }

  /// When a session was last seen, where that is not written down yet.
  func latest(_ sessionID: String) -> Int64? { seen[sessionID] }

  /// What is to be written down, in the order of the ids, and forgets it.
  mutating func take() -> [(sessionID: String, at: Int64)] {
    defer { seen = [:] }
    // Instances that write at the same time take rows in the same order.
    return seen.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
