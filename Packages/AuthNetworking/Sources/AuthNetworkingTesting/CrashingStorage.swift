public import SecureStorage
public import SessionModels
internal import Synchronization

/// A session's storage as a process sees it that dies in the middle of a write.
///
/// From the crash on every call throws, as if nobody were there any more to hear of it. What the
/// next process finds is behind ``restarted()``.
///
/// ```swift
/// let storage = CrashingStorage(InMemorySessionStorage(record: record))
/// storage.crash(.afterCommit, ofWrite: 1)
/// // … a refresh writes its attempt down, and the process is gone before it is sent.
/// let next = storage.restarted()
/// ```
public final class CrashingStorage: SessionStorage {
  /// When within a write the process dies.
  public enum Moment: Sendable, CaseIterable {
    /// Nothing of the write is stored.
    case beforeCommit
    /// The write is durable, and nobody was told.
    case afterCommit
  }

  private struct State {
    var plan: (moment: Moment, writesLeft: Int)?
    var hasCrashed = false
  }

  private let storage: any SessionStorage
  private let state = Mutex(State())
  private let end = Gate(isOpen: true)

  /// A process on a storage, which does not crash until it is told to.
  public init(_ storage: any SessionStorage) { self.storage = storage }

  /// The process dies in one of its next writes.
  ///
  /// A write is what changes the record: reading it, and an update that finds nothing to change,
  /// is none.
  ///
  /// - Parameters:
  ///   - moment: before or after the record is durable.
  ///   - number: in which write, counted from now; 1 is the next.
  public func crash(_ moment: Moment, ofWrite number: Int = 1) {
    state.withLock { $0.plan = (moment, number) }
  }

  /// Whether the process is dead.
  public var hasCrashed: Bool { state.withLock { $0.hasCrashed } }

  /// Waits for the crash.
  public func crashed() async { await end.arrival() }

  /// What the next process has: the same storage, alive.
  public func restarted() -> CrashingStorage { CrashingStorage(storage) }

  /// The last committed record.
  ///
  /// - Throws: `StorageError` of the storage, or after the crash `io`.
  public func record() throws(StorageError) -> SessionRecord {
    try requireAlive()
    return try storage.record()
  }

  /// Changes the record in one step, or dies over it.
  ///
  /// - Throws: `StorageError` of the storage, or from the crash on `io`.
  @discardableResult
  public func update(
    _ change: @escaping @Sendable (SessionRecord) -> SessionRecord?
  ) async throws(StorageError) -> SessionRecord {
    try requireAlive()
    let record = try await storage.update { [self] record in
      guard let new = change(record) else { return nil }
      return diesInThisWrite() == .beforeCommit ? nil : new
    }
    try requireAlive()
    return record
  }

  /// Signs out, or dies over it.
  ///
  /// - Throws: `StorageError` of the storage, or from the crash on `io`.
  @discardableResult
  public func wipe(reason: SignOutReason) async throws(StorageError) -> SessionRecord? {
    try requireAlive()
    var removed: SessionRecord?
    if diesInThisWrite() != .beforeCommit { removed = try await storage.wipe(reason: reason) }
    try requireAlive()
    return removed
  }

  /// What is committed, by others too.
  public func records() -> AsyncStream<Result<SessionRecord, StorageError>> { storage.records() }

  /// Whether it is this one, and then nothing is heard of the process any more.
  private func diesInThisWrite() -> Moment? {
    let moment = state.withLock { state -> Moment? in
      guard var plan = state.plan, !state.hasCrashed else { return nil }
      plan.writesLeft -= 1
      state.plan = plan
      guard plan.writesLeft == 0 else { return nil }
      state.hasCrashed = true
      return plan.moment
    }
    if moment != nil { Task { [end] in await end.pass() } }
    return moment
  }

  private func requireAlive() throws(StorageError) {
    guard hasCrashed else { return }
    throw StorageError(.io, "The process is dead", advice: "Start another one")
  }
}
