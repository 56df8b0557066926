public import SecureStorage
public import SessionModels
internal import Synchronization

/// A session slot in memory, with the behaviour of the real one and failures on demand.
///
/// Each object plays one process. ``sibling()`` makes another one on the same slot, as a second
/// process on the same store would be.
public final class InMemorySessionStorage: SessionStorage {
  private let slot: Slot

  /// A slot that holds `record`.
  public init(record: SessionRecord = .empty) {
    slot = Slot(record: record)
  }

  private init(slot: Slot) { self.slot = slot }

  /// Another process on the same slot.
  public func sibling() -> InMemorySessionStorage { InMemorySessionStorage(slot: slot) }

  /// From now on each read throws this; nil lets reads succeed again.
  ///
  /// Observers are told.
  public func failReads(with error: StorageError?) {
    slot.state.withLock { state in
      state.readFailure = error
      state.publish()
    }
  }

  /// From now on each write, wiping included, throws this; nil lets writes succeed again.
  public func failWrites(with error: StorageError?) {
    slot.state.withLock { $0.writeFailure = error }
  }

  /// How many writes were committed so far, by all siblings.
  public var commits: Int { slot.state.withLock { $0.commits } }

  /// Every record that was ever committed, in order: to prove what was durable when.
  public var history: [SessionRecord] { slot.state.withLock { $0.history } }

  /// The last committed record.
  ///
  /// - Throws: what ``failReads(with:)`` was given.
  public func record() throws(StorageError) -> SessionRecord {
    try slot.state.withLock { state throws(StorageError) in try state.current.get() }
  }

  /// Changes the record in one step.
  ///
  /// - Throws: what ``failReads(with:)`` or ``failWrites(with:)`` was given.
  @discardableResult
  public func update(
    _ change: @escaping @Sendable (SessionRecord) -> SessionRecord?
  ) async throws(StorageError) -> SessionRecord {
    try slot.state.withLock { state throws(StorageError) in
      let old = try state.current.get()
      guard let new = change(old) else { return old }
      try state.commit(new)
      return new
    }
  }

  /// Signs out, whatever reads say.
  ///
  /// - Returns: what was removed; nil while reads fail.
  /// - Throws: what ``failWrites(with:)`` was given.
  @discardableResult
  public func wipe(reason: SignOutReason) async throws(StorageError) -> SessionRecord? {
    try slot.state.withLock { state throws(StorageError) in
      let removed = try? state.current.get()
      try state.commit(
        SessionRecord(
          generation: .random(in: 1 ... .max),
          authInfo: nil,
          signOutReason: reason
        )
      )
      return removed
    }
  }

  /// The present state first, then each change in order.
  public func records() -> AsyncStream<Result<SessionRecord, StorageError>> {
    let (stream, continuation) = AsyncStream<Result<SessionRecord, StorageError>>.makeStream()
    let slot = slot
    let id = slot.state.withLock { state in
      state.nextID += 1
      state.observers[state.nextID] = continuation
      continuation.yield(state.current)
      return state.nextID
    }
    continuation.onTermination = { _ in
      // In a task of its own: whoever cancels holds the lock of the task that reads, and whoever
      // yields to it waits for that lock with ours held.
      Task { slot.state.withLock { state in _ = state.observers.removeValue(forKey: id) } }
    }
    return stream
  }
}

extension InMemorySessionStorage {
  private final class Slot: Sendable {
    let state: Mutex<State>

    init(record: SessionRecord) { state = Mutex(State(record: record)) }
  }

  private struct State {
    var record: SessionRecord
    var history: [SessionRecord] = []
    var commits = 0
    var readFailure: StorageError?
    var writeFailure: StorageError?
    var published: Result<SessionRecord, StorageError>
    var observers: [Int: AsyncStream<Result<SessionRecord, StorageError>>.Continuation] = [:]
    var nextID = 0

    init(record: SessionRecord) {
      self.record = record
      published = .success(record)
    }

    var current: Result<SessionRecord, StorageError> {
      if let readFailure { .failure(readFailure) } else { .success(record) }
    }

    mutating func commit(_ new: SessionRecord) throws(StorageError) {
      if let writeFailure { throw writeFailure }
      record = new
      history.append(new)
      commits += 1
      publish()
    }

    mutating func publish() {
      guard current != published else { return }
      published = current
      for observer in observers.values { observer.yield(current) }
    }
  }
}
