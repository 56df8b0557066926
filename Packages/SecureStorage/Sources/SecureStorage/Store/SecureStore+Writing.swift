public import SessionModels
internal import Synchronization

extension SecureStore {
  /// Changes several values, durably and all or none, with no other writer in between.
  ///
  /// - Parameter body: Runs on a thread of the store's own, or, where commits are not synced
  ///   (``Durability/normal``) and nobody else is writing, on the calling one, as reads do. It must
  ///   not wait for the store. Where it throws, nothing is changed.
  /// - Returns: What `body` returns.
  /// - Throws: `busy`, `io` (a full or read-only disk), `damaged`, `tampered` and what `body`
  ///   throws; nothing was changed then, except where the message says so.
  public func transaction<Result: Sendable>(
    _ body: @escaping @Sendable (inout StoreTransaction) throws(StorageError) -> Result
  ) async throws(StorageError) -> Result {
    try await transaction(body) { _, _ in }
  }

  /// The thread that the store writes on, for tasks that make many changes one after another.
  ///
  /// A change of a task that prefers it is made where the task stands, without the two changes of
  /// thread that are, after the disk, most of what one costs:
  ///
  /// ```swift
  /// try await withTaskExecutorPreference(store.executor) {
  ///   for draft in drafts { try await store.set(draft.text, forKey: draft.key) }
  /// }
  /// ```
  ///
  /// All other changes of the store wait while such a task computes, so it should do no more than a
  /// moment's work between two suspensions, and must wait for nothing but the store. It may be kept
  /// for longer than the store, which it does not hold.
  public var executor: any TaskExecutor { writing.executor }

  /// As ``transaction(_:)``, on the calling thread, which it blocks.
  ///
  /// For threads of the caller's own: it spares the way to the store's thread and back.
  ///
  /// - Parameter body: As in ``transaction(_:)``.
  /// - Returns: What `body` returns.
  /// - Throws: as ``transaction(_:)``.
  @available(*, noasync, message: "It blocks its thread; tasks call transaction")
  public func transactionBlocking<Result: Sendable>(
    _ body: (inout StoreTransaction) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try writing.runHere { () throws(StorageError) in
      let result = try commit(body)
      anchorAgain()
      return result
    }
  }

  /// Sets a value.
  ///
  /// - Parameters:
  ///   - value: At most ``StoreLimits/valueBytes``.
  ///   - key: 1 to ``StoreLimits/keyBytes`` bytes of UTF-8 without NUL.
  ///   - namespace: Where.
  /// - Throws: `invalidInput` beyond the limits, and as ``transaction(_:)``.
  public func set(
    _ value: Secret,
    forKey key: String,
    in namespace: StoreNamespace = .user
  ) async throws(StorageError) {
    try await transaction { transaction throws(StorageError) in
      try transaction.set(value, forKey: key, in: namespace)
    }
  }

  /// Sets a text, kept as UTF-8.
  ///
  /// - Parameters:
  ///   - text: At most ``StoreLimits/valueBytes``.
  ///   - key: 1 to ``StoreLimits/keyBytes`` bytes of UTF-8 without NUL.
  ///   - namespace: Where.
  /// - Throws: `invalidInput` beyond the limits, and as ``transaction(_:)``.
  public func set(
    _ text: String,
    forKey key: String,
    in namespace: StoreNamespace = .user
  ) async throws(StorageError) {
    try await set(Secret(text), forKey: key, in: namespace)
  }

  /// Sets bytes.
  ///
  /// - Parameters:
  ///   - bytes: At most ``StoreLimits/valueBytes``.
  ///   - key: 1 to ``StoreLimits/keyBytes`` bytes of UTF-8 without NUL.
  ///   - namespace: Where.
  /// - Throws: `invalidInput` beyond the limits, and as ``transaction(_:)``.
  public func set(
    _ bytes: [UInt8],
    forKey key: String,
    in namespace: StoreNamespace = .user
  ) async throws(StorageError) {
    try await set(Secret(bytes: bytes), forKey: key, in: namespace)
  }

  /// Removes a value, a damaged one too; a key that is not there is fine.
  ///
  /// - Parameters:
  ///   - key: Which entry.
  ///   - namespace: Where.
  /// - Throws: as ``transaction(_:)``; `busy` also where it is removed but could not yet be
  ///   overwritten.
  public func remove(
    _ key: String,
    in namespace: StoreNamespace = .user
  ) async throws(StorageError) {
    try await transaction { transaction throws(StorageError) in
      try transaction.remove(key, in: namespace)
    }
  }

  /// A transaction, and what is to be done after its commit and before the next one's.
  func transaction<Result: Sendable>(
    _ body: @escaping @Sendable (inout StoreTransaction) throws(StorageError) -> Result,
    afterCommit: @escaping @Sendable (Result, _ generation: UInt64) -> Void
  ) async throws(StorageError) -> Result {
    let done = try writing.runHereIfIdle { () throws(StorageError) in
      try commitAtOnce(body, afterCommit: afterCommit)
    }
    if let done {
      if !done.isFinished {
        try await writing.run { () throws(StorageError) in try self.engine.finishWriting() }
      }
      return done.result
    }
    return try await waitingTransaction(body, afterCommit: afterCommit)
  }

  /// A transaction on the store's thread, whose body may take its time and ask a vault.
  func waitingTransaction<Result: Sendable>(
    _ body: @escaping @Sendable (inout StoreTransaction) throws(StorageError) -> Result,
    afterCommit: @escaping @Sendable (Result, _ generation: UInt64) -> Void = { _, _ in }
  ) async throws(StorageError) -> Result {
    try await writing.run { () throws(StorageError) in
      let result = try self.commit(body, afterCommit: afterCommit)
      self.anchorAgain()
      return result
    }
  }

  /// A transaction, on a thread that may wait.
  func commit<Result: Sendable>(
    _ body: (inout StoreTransaction) throws(StorageError) -> Result,
    afterCommit: (Result, _ generation: UInt64) -> Void = { _, _ in }
  ) throws(StorageError) -> Result {
    try KeyChange.following(followKey) { () throws(StorageError) in
      try commitOnce(body, afterCommit)
    }
  }

  /// Takes in where another process has moved the key, and fetches it there.
  func followKey() throws(StorageError) {
    try cache.withLock { cache throws(StorageError) in try cache.refresh(engine) }
  }

  private func commitOnce<Result: Sendable>(
    _ body: (inout StoreTransaction) throws(StorageError) -> Result,
    _ afterCommit: (Result, _ generation: UInt64) -> Void
  ) throws(StorageError) -> Result {
    let known = cache.withLock { $0.unlocked }
    // Taken out, so that a transaction that fails leaves nothing behind; and handed on, so that no
    // second reference makes each change of a list copy it.
    var views = writtenViews.withLock { $0.takeAll() }
    let outcome = try engine.write { writer throws(StorageError) in
      try perform(body, writer, known, views.takeAll())
    }
    take(outcome, afterCommit)
    return outcome.result
  }

  /// A transaction that waits for nothing: neither for other writers nor for the disk, nor for a
  /// vault; nil where it would, and then nothing was done.
  private func commitAtOnce<Result: Sendable>(
    _ body: (inout StoreTransaction) throws(StorageError) -> Result,
    afterCommit: (Result, _ generation: UInt64) -> Void
  ) throws(StorageError) -> (result: Result, isFinished: Bool)? {
    let known = cache.withLock { $0.unlocked }
    guard known.vault.counting == nil else { return nil }
    var views = NamespaceViews()
    let done = try engine.writeAtOnce { writer throws(StorageError) -> Outcome<Result>? in
      // What another process has changed may be the key, for which the vault is asked.
      guard known.isLast(writer), !known.keyIsWorn(after: known.anchor.seals) else { return nil }
      views = writtenViews.withLock { $0.takeAll() }
      return try perform(body, writer, known, views.takeAll())
    }
    guard let (outcome, isFinished) = done else { return nil }
    take(outcome, afterCommit)
    return (outcome.result, isFinished)
  }

  private func perform<Result: Sendable>(
    _ body: (inout StoreTransaction) throws(StorageError) -> Result,
    _ writer: any StorageWriter,
    _ known: Unlocked,
    _ views: consuming NamespaceViews
  ) throws(StorageError) -> Outcome<Result> {
    var transaction = try StoreTransaction(writer, known, views: views)
    let result = try body(&transaction)
    try transaction.finish(rollback)
    return Outcome(
      result: result,
      changed: transaction.changed,
      generation: transaction.changed.isEmpty ? writer.generation : writer.nextGeneration,
      unlocked: transaction.unlocked,
      views: transaction.remaining
    )
  }

  private func take<Result>(
    _ outcome: Outcome<Result>,
    _ afterCommit: (Result, _ generation: UInt64) -> Void
  ) {
    writtenViews.withLock { $0 = outcome.views }
    cache.withLock { $0.adopt(outcome.unlocked) }
    afterCommit(outcome.result, outcome.generation)
    publish(outcome.generation, outcome.changed)
  }

  private struct Outcome<Result: Sendable>: Sendable {
    let result: Result
    let changed: Set<StoreNamespace>
    let generation: UInt64
    let unlocked: Unlocked
    let views: NamespaceViews
  }

  func publish(_ generation: UInt64, _ namespaces: Set<StoreNamespace>) {
    guard !namespaces.isEmpty else { return }
    changeLog.publish(StoreChange(generation: generation, namespaces: namespaces))
  }
}
