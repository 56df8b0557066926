internal import SecureStorage
internal import SessionModels
internal import Synchronization

/// The session's slot of a store that is made when there is first something to keep: a sign-in
/// that is refused leaves no store behind.
final class FirstSessionStorage: SessionStorage {
  private let open: @Sendable () async throws(StorageError) -> SecureStore
  private let state = Mutex(State())

  private struct State {
    var store: SecureStore?
    var storage: SecureSessionStorage?
    var waiting: [AsyncStream<Result<SessionRecord, StorageError>>.Continuation] = []
  }

  /// A slot without a store.
  ///
  /// - Parameter open: makes the store; called once there is something to keep, and again after
  ///   it failed.
  init(open: @escaping @Sendable () async throws(StorageError) -> SecureStore) {
    self.open = open
  }

  /// The store, once it was made.
  var store: SecureStore? { state.withLock { $0.store } }

  func record() throws(StorageError) -> SessionRecord {
    guard let storage = state.withLock({ $0.storage }) else { return .empty }
    return try storage.record()
  }

  @discardableResult
  func update(
    _ change: @escaping @Sendable (SessionRecord) -> SessionRecord?
  ) async throws(StorageError) -> SessionRecord {
    if let storage = state.withLock({ $0.storage }) { return try await storage.update(change) }
    guard change(.empty) != nil else { return .empty }
    return try await made().update(change)
  }

  func wipe(reason: SignOutReason) async throws(StorageError) -> SessionRecord? {
    try await state.withLock({ $0.storage })?.wipe(reason: reason)
  }

  func records() -> AsyncStream<Result<SessionRecord, StorageError>> {
    let (stream, continuation) = AsyncStream<Result<SessionRecord, StorageError>>.makeStream()
    let storage = state.withLock { state -> SecureSessionStorage? in
      if state.storage == nil { state.waiting.append(continuation) }
      return state.storage
    }
    guard let storage else {
      continuation.yield(.success(.empty))
      return stream
    }
    return storage.records()
  }

  private func made() async throws(StorageError) -> SecureSessionStorage {
    let store = try await open()
    let (storage, waiting) = state.withLock { state in
      let storage = state.storage ?? SecureSessionStorage(store: store)
      defer { (state.store, state.storage, state.waiting) = (store, storage, []) }
      return (storage, state.waiting)
    }
    for continuation in waiting {
      let forwarding = Task {
        for await record in storage.records() { continuation.yield(record) }
        continuation.finish()
      }
      continuation.onTermination = { _ in forwarding.cancel() }
    }
    return storage
  }
}
