public import SessionModels

/// The stored session, observable: what an app and its extensions share.
///
/// One value of this type speaks for one session slot of one store. Several values, in this or
/// other processes, may speak for the same slot; each read sees the last commit of any of them.
public protocol SessionStorage: Sendable {
  /// The last committed record, read synchronously and, when nothing changed, from memory.
  ///
  /// - Throws: ``StorageError``: locked, lost, damaged or tampered is never an empty record (R14).
  func record() throws(StorageError) -> SessionRecord

  /// Reads the record and writes what `change` makes of it, as one durable transaction that no
  /// other writer of any process can come between.
  ///
  /// - Parameter change: pure; gets the record as it is inside the transaction, and returns the
  ///   new one, or nil to leave all as it is. It must not call back into the storage.
  /// - Returns: What is stored afterwards.
  /// - Throws: ``StorageError``. Where `change` was called, the record may be written all the same,
  ///   also where a read does not show it yet; what is stored is certain once another update has
  ///   written something.
  @discardableResult
  func update(
    _ change: @escaping @Sendable (SessionRecord) -> SessionRecord?
  ) async throws(StorageError) -> SessionRecord

  /// Removes the session and overwrites what it was stored in. Needs no key, so it works while
  /// the vault is locked or lost, and leaves everything else in the store alone (R4).
  ///
  /// - Parameter reason: What ``record()`` says from then on.
  /// - Returns: What was removed, with no other writer in between: who signs out revokes that, be
  ///   it newer than what it last saw. Nil where it could not be read, as without the key.
  /// - Throws: ``StorageError`` where the file itself cannot be written.
  @discardableResult
  func wipe(reason: SignOutReason) async throws(StorageError) -> SessionRecord?

  /// The present state first, then each change in order, of other processes too; none lost,
  /// none twice (R13). A failure to read is an element, not the end.
  func records() -> AsyncStream<Result<SessionRecord, StorageError>>
}

extension SessionStorage {
  /// Who is signed in, synchronously; nil when nobody is.
  ///
  /// - Throws: ``StorageError``, as ``record()``.
  public var authInfo: AuthInfo? {
    get throws(StorageError) { try record().authInfo }
  }
}
