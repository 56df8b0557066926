public import SessionModels

/// Another store as a source: all of its namespaces, and its session.
public struct StoreImport: ImportSource {
  private let store: SecureStore

  /// An open store.
  ///
  /// - Parameter store: The caller opens it, with its own vault, and closes it afterwards. No
  ///   refresh of its session may be under way: the caller holds the lock that refreshes hold.
  public init(_ store: SecureStore) { self.store = store }

  /// The store itself.
  public var sessionStore: SecureStore? { store }

  /// The keys of every namespace but the session's.
  ///
  /// - Returns: The entries.
  /// - Throws: ``StorageError``.
  public func entries() async throws(StorageError) -> [ImportEntry] {
    var entries: [ImportEntry] = []
    for namespace in StoreNamespace.allCases where namespace != .session {
      for key in try store.keys(in: namespace) {
        entries.append(ImportEntry(key: key, namespace: namespace))
      }
    }
    return entries
  }

  /// The value of a key.
  ///
  /// - Parameter entry: Which.
  /// - Returns: The value.
  /// - Throws: ``StorageError``.
  public func value(of entry: ImportEntry) async throws(StorageError) -> Secret? {
    try store.secret(forKey: entry.key, in: entry.namespace)
  }

  /// Deletes them in one transaction.
  ///
  /// - Parameters:
  ///   - entries: Which.
  ///   - isKept: Whether a value is in the target.
  /// - Returns: Whether all of them were.
  /// - Throws: ``StorageError``.
  public func remove(
    _ entries: [ImportEntry],
    where isKept: @escaping @Sendable (ImportEntry, Secret) throws(StorageError) -> Bool
  ) async throws(StorageError) -> Bool {
    guard !entries.isEmpty else { return true }
    return try await store.transaction { transaction throws(StorageError) in
      var all = true
      for entry in entries {
        let value = try transaction.secret(forKey: entry.key, in: entry.namespace)
        guard let value else { continue }
        if try isKept(entry, value) {
          try transaction.remove(entry.key, in: entry.namespace)
        } else {
          all = false
        }
      }
      return all
    }
  }
}
