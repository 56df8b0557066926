/// The HTTP connections: how many an address has, and which take too long with a head: pure.
///
/// A connection that says nothing has a thread and a place among those that the server takes; so
/// one address may have only so many, and a request's head must be whole after some time. Trickling
/// bytes does not put that off.
struct ConnectionTable: Sendable {
  /// Names a connection for as long as it lives.
  typealias ID = UInt

  private struct Entry {
    let network: String?
    /// Since when a head is waited for; nil while one is served, or none has begun.
    var headSince: ContinuousClock.Instant?
  }

  /// So many connections an address may have (of IPv6, a network of 64 bits); nil for no limit.
  let perAddress: Int?
  /// How long a head may take.
  let headLimit: Duration
  private var entries: [ID: Entry] = [:]
  private var counts: [String: Int] = [:]

  init(perAddress: Int?, headLimit: Duration) {
    (self.perAddress, self.headLimit) = (perAddress, headLimit)
  }

  /// How many connections there are.
  var count: Int { entries.count }

  /// Whether one more connection may come from a network.
  func admits(_ network: String?) -> Bool {
    guard let perAddress, let network else { return true }
    return counts[network] ?? 0 < perAddress
  }

  /// A connection began: its first head is waited for.
  mutating func opened(_ id: ID, from network: String?, at now: ContinuousClock.Instant) {
    closed(id)
    entries[id] = Entry(network: network, headSince: now)
    if let network { counts[network, default: 0] += 1 }
  }

  /// The first line of a request came; of a first request the time goes on.
  mutating func headBegan(_ id: ID, at now: ContinuousClock.Instant) {
    if entries[id]?.headSince == nil { entries[id]?.headSince = now }
  }

  /// A head is whole.
  mutating func headEnded(_ id: ID) { entries[id]?.headSince = nil }

  /// A connection is over.
  mutating func closed(_ id: ID) {
    guard let network = entries.removeValue(forKey: id)?.network else { return }
    let left = (counts[network] ?? 0) - 1
    counts[network] = left > 0 ? left : nil
  }

  /// The connections whose head takes too long.
  func overdue(at now: ContinuousClock.Instant) -> [ID] {
    entries.filter { entry in
      entry.value.headSince.map { $0.duration(to: now) >= headLimit } ?? false
    }
    .map(\.key)
  }
}
