public import SessionModels
internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The session in an encrypted store: one sealed value in a namespace of its own.
///
/// Copies of a value share their observers; values made apart see one another's commits, too.
public struct SecureSessionStorage: SessionStorage {
  private static let key = KeyName(unchecked: "session")

  private let store: SecureStore
  private let hub = SessionHub()

  /// The session of a store.
  public init(store: SecureStore) { self.store = store }

  /// The last committed record, read synchronously and, when nothing changed, from memory.
  ///
  /// - Returns: The record.
  /// - Throws: ``StorageError``: what is locked, lost, damaged or tampered is never an empty
  ///   record (R14).
  public func record() throws(StorageError) -> SessionRecord {
    if store.options.reads == .cached, let record = hub.cached(store.engine.stamp) {
      try store.checkUsable()
      return record
    }
    return try read().record
  }

  /// Changes the record in one durable transaction, with no other writer in between.
  ///
  /// What a session that ends was stored in is overwritten before this returns, and so are its
  /// ``SessionValues``.
  ///
  /// - Parameter change: Gets the record, returns the new one or nil to leave it.
  /// - Returns: What is stored afterwards.
  /// - Throws: ``StorageError``; see ``SessionStorage/update(_:)``.
  @discardableResult
  public func update(
    _ change: @escaping @Sendable (SessionRecord) -> SessionRecord?
  ) async throws(StorageError) -> SessionRecord {
    try await store.transaction { transaction throws(StorageError) in
      let old = try Self.record(in: &transaction)
      guard let new = change(old) else { return old }
      try Self.put(new, in: &transaction)
      if new.generation != old.generation || new.authInfo == nil {
        try SessionValues.removeAll(in: &transaction)
      }
      if new.authInfo == nil, old.authInfo != nil { transaction.purge() }
      return new
    } afterCommit: { [hub] record, generation in
      hub.publish(.success(record), generation: generation)
    }
  }

  /// Removes the session and overwrites what it was stored in, without any key (R4).
  ///
  /// - Parameter reason: What ``record()`` says from then on.
  /// - Returns: What was removed; nil where the vault or the file did not let it be read.
  /// - Throws: `io`, `busy` or `damaged` where the file itself cannot be written.
  @discardableResult
  public func wipe(reason: SignOutReason) async throws(StorageError) -> SessionRecord? {
    try await store.wipeSession(reason: reason)
  }

  /// The present state first, then each change in order, of other processes too (R13).
  ///
  /// - Returns: A stream that ends when it is dropped or its task is cancelled.
  public func records() -> AsyncStream<Result<SessionRecord, StorageError>> {
    let observer = store.observe { [hub, weak store] change in
      guard let store, change.namespaces.contains(.session) else { return }
      hub.refresh { SecureSessionStorage.present(store) }
    }
    let (stream, id, continuation) = hub.subscribe { SecureSessionStorage.present(store) }
    continuation.onTermination = { [hub, changeLog = store.changeLog] _ in
      // In a task of its own: whoever cancels holds the lock of the task that reads, and whoever
      // yields to it waits for that lock with ours held.
      Task {
        changeLog.remove(observer)
        hub.unsubscribe(id)
      }
    }
    return stream
  }

  /// Removes the session of a store that cannot be opened: its vault is locked or its key lost.
  ///
  /// - Parameters:
  ///   - directory: The store's. Where there is no store, nothing is done.
  ///   - reason: What the session's record says once the store can be opened again.
  ///   - options: The defaults are right outside tests.
  /// - Returns: What was removed, where this process has the store open; else nil.
  /// - Throws: `io`, `busy` or `damaged` where the file itself cannot be written.
  @discardableResult
  public static func wipe(
    storeAt directory: String,
    reason: SignOutReason,
    options: StoreOptions = StoreOptions()
  ) async throws(StorageError) -> SessionRecord? {
    try await SecureStore.wipeSession(at: directory, reason: reason, options: options)
  }
}

extension SecureSessionStorage {
  /// Why nobody is signed in, of a store that cannot be opened; nil where its session was not
  /// wiped, or that cannot be read.
  ///
  /// Needs no key, and the mark that it reads could be forged by whoever can write the file.
  ///
  /// - Parameter directory: The store's.
  /// - Returns: The reason that ``wipe(storeAt:reason:options:)`` was given.
  public static func signOutReason(ofStoreAt directory: String) async -> SignOutReason? {
    try? await OpenStores.opening.run { () throws(StorageError) in
      let files = try StoreFiles(directory: directory).resolved()
      guard try POSIX.status(files.database) != nil else { return nil }
      let connection = try SQLiteConnection(path: files.database, synchronous: nil)
      defer { connection.close() }
      return try SQLiteSession.wipedMark(on: connection)?.reason
    }
  }

  static func record(
    in transaction: inout StoreTransaction
  ) throws(StorageError) -> SessionRecord {
    let secret = try transaction.secret(forKey: key.text, in: .session)
    return try record(secret, try transaction.wipedMark(of: .session))
  }

  static func put(
    _ record: SessionRecord,
    in transaction: inout StoreTransaction
  ) throws(StorageError) {
    try transaction.set(encode(record), forKey: key.text, in: .session)
  }

  private func read() throws(StorageError) -> (record: SessionRecord, generation: UInt64) {
    let reading = try store.reading(of: Self.key, in: .session)
    let record = try Self.record(reading.secret, reading.wiped)
    if store.options.reads == .cached { hub.keep(record, reading.stamp) }
    return (record, reading.generation)
  }

  private static func present(
    _ store: SecureStore
  ) -> (reading: SessionHub.Reading, generation: UInt64?) {
    do throws(StorageError) {
      let reading = try store.reading(of: key, in: .session)
      do throws(StorageError) {
        return (.success(try record(reading.secret, reading.wiped)), reading.generation)
      } catch {
        return (.failure(error), reading.generation)
      }
    } catch {
      return (.failure(error), nil)
    }
  }

  private static func record(
    _ secret: Secret?,
    _ wiped: WipedMark?
  ) throws(StorageError) -> SessionRecord {
    if let wiped {
      return SessionRecord(
        generation: wiped.sessionGeneration,
        authInfo: nil,
        signOutReason: wiped.reason
      )
    }
    guard let secret else { return .empty }
    var bytes = secret.withBytes { Data($0) }
    defer { bytes.resetBytes(in: 0..<bytes.count) }
    do {
      return try JSONDecoder().decode(SessionRecord.self, from: bytes)
    } catch {
      // Authentic, and yet of another form: only another version can have written it.
      throw .newerFormat("The stored session has a form that this build does not know")
    }
  }

  private static func encode(_ record: SessionRecord) throws(StorageError) -> Secret {
    do {
      var bytes = try JSONEncoder().encode(record)
      defer { bytes.resetBytes(in: 0..<bytes.count) }
      return Secret(bytes: bytes)
    } catch {
      throw .invalidInput(
        "The session cannot be written as JSON",
        advice: "A date or number in it is not finite."
      )
    }
  }
}
