public import SessionModels

/// Where a store imports values from: another store, or lines of JSON.
///
/// Its functions are called from ``SecureStore/importing(from:replacing:progress:)`` only, in the
/// order in which they stand here.
public protocol ImportSource: Sendable {
  /// Every entry that there is to import, in an order of the source's own.
  ///
  /// - Returns: The entries, without their values and without the session.
  /// - Throws: ``StorageError``: what cannot be listed is not imported in part.
  func entries() async throws(StorageError) -> [ImportEntry]

  /// The value of an entry.
  ///
  /// - Parameter entry: One of ``entries()``.
  /// - Returns: The value, or nil where it was removed meanwhile.
  /// - Throws: ``StorageError``.
  func value(of entry: ImportEntry) async throws(StorageError) -> Secret?

  /// The store whose session is to be moved, too; nil where there is none.
  var sessionStore: SecureStore? { get }

  /// Deletes what was copied and read back, all of it or nothing.
  ///
  /// - Parameters:
  ///   - entries: All of ``entries()``.
  ///   - isKept: Whether a value is in the target by now. What was changed meanwhile is not, and
  ///     must stay. Must not be called from another task.
  /// - Returns: Whether all of them could be deleted.
  /// - Throws: ``StorageError``; nothing was deleted then.
  func remove(
    _ entries: [ImportEntry],
    where isKept: @escaping @Sendable (ImportEntry, Secret) throws(StorageError) -> Bool
  ) async throws(StorageError) -> Bool
}
