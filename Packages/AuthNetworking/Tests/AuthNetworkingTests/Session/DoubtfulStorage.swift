import SecureStorage
import SecureStorageTesting
import SessionModels
import Synchronization

/// A storage whose disk fails over commits, and keeps what they wrote or does not.
final class DoubtfulStorage: SessionStorage {
  /// What becomes of a commit that fails.
  enum Fate: Sendable, CaseIterable {
    case lost
    case stored
    /// The log has it: no read shows it, the next start replays it, and another commit overwrites it.
    case replayed
  }

  private struct State {
    var failuresLeft = 0
    var fate = Fate.lost
    var log: SessionRecord?
  }

  private let storage: InMemorySessionStorage
  private let state = Mutex(State())

  init(_ storage: InMemorySessionStorage) { self.storage = storage }

  /// The next commits fail.
  func fail(_ count: Int, _ fate: Fate) {
    state.withLock { ($0.failuresLeft, $0.fate) = (count, fate) }
  }

  /// What the next process finds, on a disk that is well again.
  func restarted() async throws -> InMemorySessionStorage {
    if let log = state.withLock({ $0.log }) { try await storage.update { _ in log } }
    return storage
  }

  func record() throws(StorageError) -> SessionRecord { try storage.record() }

  @discardableResult
  func update(
    _ change: @escaping @Sendable (SessionRecord) -> SessionRecord?
  ) async throws(StorageError) -> SessionRecord {
    let failed = Mutex(false)
    let record = try await storage.update { [self] record in
      guard let new = change(record) else { return nil }
      let (fails, fate) = state.withLock { state in
        let fails = state.failuresLeft > 0
        if fails { state.failuresLeft -= 1 }
        state.log = fails && state.fate == .replayed ? new : nil
        return (fails, state.fate)
      }
      failed.withLock { $0 = fails }
      return fails && fate != .stored ? nil : new
    }
    guard failed.withLock({ $0 }) else { return record }
    throw StorageError(.io, "The disk failed", advice: "Replace it. Nothing was changed.")
  }

  @discardableResult
  func wipe(reason: SignOutReason) async throws(StorageError) -> SessionRecord? {
    try await storage.wipe(reason: reason)
  }

  func records() -> AsyncStream<Result<SessionRecord, StorageError>> { storage.records() }
}
