internal import SessionModels

/// Moves the session of one store into another, so that never both can refresh it.
///
/// The session is parked in the target, where nobody uses it; the source gives it up in one
/// transaction that also proves that it was parked as it is; then it is taken into use. A crash
/// before the middle step leaves the source as it was, one after it the session in the target,
/// parked, for the next run.
struct SessionMove {
  private static let attempts = 8

  private let source: SecureStore
  private let target: SecureStore
  private let stored: SecureSessionStorage

  /// A move; nil without a store to move from.
  init?(from source: SecureStore?, to target: SecureStore) {
    guard let source else { return nil }
    self.source = source
    self.target = target
    stored = SecureSessionStorage(store: source)
  }

  /// - Throws: `invalidInput` where somebody is signed in on both sides.
  func check() throws(StorageError) {
    guard try stored.record().authInfo != nil else { return }
    guard try SecureSessionStorage(store: target).record().authInfo == nil else {
      throw SessionMove.occupied
    }
  }

  /// - Returns: Whether there was a session to move.
  func perform() async throws(StorageError) -> Bool {
    for _ in 0..<SessionMove.attempts {
      let record = try stored.record()
      guard record.authInfo != nil else { return try await finish(record) }
      let parked = ParkedSession(record: record, successor: target.options.random.nonZero())
      let values = try self.values(of: record.generation)
      try await park(parked, values)
      if let left = try await giveUp(record, values, for: parked) { return try await finish(left) }
    }
    throw StorageError(
      .busy,
      "The session keeps being changed while it is moved",
      advice: "Let no refresh run meanwhile, and import again. It is where it was."
    )
  }

  /// What lives and dies with the session, and so moves with it.
  private func values(of generation: UInt64) throws(StorageError) -> [String: [UInt8]] {
    let values = SessionValues(store: source)
    var found: [String: [UInt8]] = [:]
    for key in try values.keys(of: generation) {
      found[key] = try values.data(forKey: key, of: generation)
    }
    return found
  }

  /// Ends the session in the source, provided that it is as it was parked.
  ///
  /// - Returns: The source's record then; nil where it has changed meanwhile.
  private func giveUp(
    _ record: SessionRecord,
    _ values: [String: [UInt8]],
    for parked: ParkedSession
  ) async throws(StorageError) -> SessionRecord? {
    let left = SessionRecord(
      generation: parked.successor,
      authInfo: nil,
      signOutReason: .userRequested
    )
    return try await source.transaction { transaction throws(StorageError) in
      let present = try SecureSessionStorage.record(in: &transaction)
      let presentValues = try SessionValues.all(of: record.generation, in: &transaction)
      guard present == record, presentValues == values else { return nil }
      try SecureSessionStorage.put(left, in: &transaction)
      try SessionValues.removeAll(in: &transaction)
      transaction.purge()
      return left
    }
  }

  private func park(
    _ parked: ParkedSession,
    _ values: [String: [UInt8]]
  ) async throws(StorageError) {
    let content = try parked.encoded()
    try await target.transaction { transaction throws(StorageError) in
      guard try SecureSessionStorage.record(in: &transaction).authInfo == nil else {
        throw SessionMove.occupied
      }
      try transaction.set(content, forKey: ParkedSession.key, in: .session)
      try ParkedSession.removeValues(in: &transaction)
      for (key, bytes) in values {
        let name = ParkedSession.valuePrefix + key
        try transaction.set(Secret(bytes: bytes), forKey: name, in: .session)
      }
    }
    let kept = try target.secret(forKey: ParkedSession.key, in: .session)
    guard kept == content else {
      throw .damaged("The session could not be read back after it was copied")
    }
  }

  /// Takes a parked session into use where the source has given it up, and drops any other.
  private func finish(_ left: SessionRecord) async throws(StorageError) -> Bool {
    let generation: UInt64 = target.options.random.nonZero()
    return try await target.transaction { transaction throws(StorageError) in
      guard let content = try transaction.secret(forKey: ParkedSession.key, in: .session) else {
        return false
      }
      let parked = try ParkedSession(encoded: content)
      let isOurs = parked.successor == left.generation
      if isOurs {
        guard try SecureSessionStorage.record(in: &transaction).authInfo == nil else {
          throw SessionMove.occupied
        }
        var record = parked.record
        record.generation = generation
        try SecureSessionStorage.put(record, in: &transaction)
        try ParkedSession.useValues(for: generation, in: &transaction)
      }
      try ParkedSession.removeValues(in: &transaction)
      try transaction.remove(ParkedSession.key, in: .session)
      return isOurs
    }
  }

  private static var occupied: StorageError {
    .invalidInput(
      "Somebody is signed in here, and a session can only be moved to where nobody is",
      advice: "Sign out in one of the two, and import again."
    )
  }
}
