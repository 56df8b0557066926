internal import Dispatch
internal import Synchronization

/// The signing keys in use, kept in step with the database and with ``SigningKeySchedule``.
///
/// The database is where instances meet: each makes the next key when it is due, and reads what
/// the others made, well within the time for which a key is announced before it signs.
final class SigningKeys: Sendable {
  /// What an operator may ask for.
  enum Wish: Sendable {
    /// Only what is due.
    case nothing
    /// A new key, announced like any other.
    case newKey
    /// A new key that signs at once; all others, and with them every token that they signed, are
    /// refused from now on.
    case newKeyOnly
  }

  /// What a look at the database changed there.
  struct Changes: Equatable, Sendable {
    var made: [String] = []
    var dropped: [String] = []
  }

  /// So often each instance looks at the database.
  static let period: Duration = .seconds(15)

  /// How seldom a token with an unknown key makes it look once more.
  private static let patience: Duration = .seconds(1)

  private let algorithm: SigningAlgorithm
  private let policy: SigningKeySchedule.Policy
  private let coder: Mutex<AccessTokenCoder>
  private let turn = Mutex(())
  private let lastLook = Mutex<ContinuousClock.Instant?>(nil)

  init(_ configuration: BackendConfiguration) {
    algorithm = configuration.signingAlgorithm
    policy = SigningKeySchedule.Policy(
      accessLifetime: configuration.accessLifetime.milliseconds,
      announcement: configuration.signingKeyAnnouncement.milliseconds,
      interval: configuration.signingKeyInterval?.milliseconds
    )
    coder = Mutex(AccessTokenCoder(ring: SigningKeyRing([], policy: policy)))
  }

  /// The keys of this moment, with what they can do.
  var current: AccessTokenCoder { coder.withLock { $0 } }

  /// For how long others may keep the published keys, in seconds: half of the time for which a
  /// key is announced, so that every copy has it before it signs.
  var publicLifetime: Int64 { policy.announcement / 2_000 }

  /// Makes and drops keys in the database as is due; one transaction, which blocks.
  @discardableResult
  func update(
    _ wish: Wish = .nothing,
    in database: Database,
    now: Int64
  ) throws -> Changes {
    // One at a time, so that no older look replaces a newer one.
    try turn.withLock { _ in
      let (ring, changes) = try database.transaction { try step(wish, now: now, $0) }
      coder.withLock { $0 = AccessTokenCoder(ring: ring) }
      return changes
    }
  }

  /// Looks at the database because of a token whose key is unknown, unless another one
  /// just made it do so; blocks.
  func lookAgain(in database: Database, now: Int64) {
    let isAllowed = lastLook.withLock { last in
      if let last, last.duration(to: .now) < Self.patience { return false }
      last = .now
      return true
    }
    // A database that fails leaves the key unknown.
    if isAllowed { _ = try? update(in: database, now: now) }
  }

  private func step(
    _ wish: Wish,
    now: Int64,
    _ connection: any SQLConnection
  ) throws -> (SigningKeyRing, Changes) {
    // Of instances that look at the same time one makes the key that is due.
    try connection.lockSchema()
    var keys = try SigningKeyTable.all(algorithm, connection)
    var changes = Changes()
    let schedule = SigningKeySchedule(keys.map { .init(id: $0.key.id, signsFrom: $0.signsFrom) })
    let signsFrom: Int64? =
      switch wish {
      case .nothing: schedule.due(at: now, policy)
      case .newKey: schedule.requested(at: now, policy)
      case .newKeyOnly: now
      }
    changes.dropped =
      wish == .newKeyOnly ? keys.map(\.key.id) : schedule.forgotten(at: now, policy)
    try SigningKeyTable.delete(changes.dropped, connection)
    keys.removeAll { changes.dropped.contains($0.key.id) }
    if let signsFrom {
      let seed = Entropy.bytes(SigningKey.seedSize)
      guard let key = SigningKey(seed: seed, algorithm: algorithm) else {
        throw BackendError(.entropy, "cannot make a signing key")
      }
      try SigningKeyTable.insert(key, seed: seed, signsFrom: signsFrom, now: now, connection)
      keys.append((key, signsFrom))
      changes.made = [key.id]
    }
    return (SigningKeyRing(keys, policy: policy), changes)
  }
}
