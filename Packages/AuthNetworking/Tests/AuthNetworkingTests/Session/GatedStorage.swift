import AuthNetworkingTesting
import SecureStorage
import SessionModels

/// A session slot whose wiping waits at a gate: between a sign-out's look at it and its end.
final class GatedStorage: SessionStorage {
  let beforeWipe = Gate(isOpen: true)
  private let storage: any SessionStorage

  init(_ storage: any SessionStorage) { self.storage = storage }

  func record() throws(StorageError) -> SessionRecord { try storage.record() }

  func update(
    _ change: @escaping @Sendable (SessionRecord) -> SessionRecord?
  ) async throws(StorageError) -> SessionRecord { try await storage.update(change) }

  func wipe(reason: SignOutReason) async throws(StorageError) -> SessionRecord? {
    await beforeWipe.pass()
    return try await storage.wipe(reason: reason)
  }

  func records() -> AsyncStream<Result<SessionRecord, StorageError>> { storage.records() }
}
