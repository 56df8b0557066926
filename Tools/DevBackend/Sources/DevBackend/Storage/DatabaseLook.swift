/// What other instances did since the last look, as the database tells.
///
/// Revocations and messages have numbers that are committed in their order, so that a look misses
/// nothing, whatever the clocks of the instances say.
struct DatabaseLook: Sendable {
  let revoked: [Revoked]
  /// The number of the last revocation.
  let revocation: Int64
  /// The number of each group's last message.
  let groups: [String: Int64]

  /// Looks; within one transaction.
  static func taken(
    after revocation: Int64,
    _ connection: any SQLConnection
  ) throws -> DatabaseLook {
    let (revoked, last) = try FamilyTable.revocations(after: revocation, connection)
    return DatabaseLook(
      revoked: revoked,
      revocation: last,
      groups: try GroupTable.lastSequences(connection)
    )
  }
}

/// How far an instance has seen what others did, and since when it has not looked: pure.
struct SharedView: Sendable {
  /// For so long after a look a token may be let in without another one.
  static let lease: Duration = .milliseconds(750)

  private(set) var revocation: Int64
  private var groups: [String: Int64]
  private var seenAt: ContinuousClock.Instant

  init(_ look: DatabaseLook, begun: ContinuousClock.Instant) {
    (revocation, groups, seenAt) = (look.revocation, look.groups, begun)
  }

  /// Whether a revocation of the last second would be known.
  func isFresh(at instant: ContinuousClock.Instant) -> Bool {
    seenAt.duration(to: instant) < Self.lease
  }

  /// Takes in a look that was begun at an instant, whose revocations are known already.
  ///
  /// - Returns: the groups with new messages.
  mutating func take(_ look: DatabaseLook, begun: ContinuousClock.Instant) -> [String] {
    // Two looks at once may end in another order than they were begun.
    revocation = max(revocation, look.revocation)
    seenAt = max(seenAt, begun)
    let news = look.groups.filter { $0.value > groups[$0.key] ?? 0 }
    groups.merge(news) { _, new in new }
    return news.keys.sorted()
  }
}
