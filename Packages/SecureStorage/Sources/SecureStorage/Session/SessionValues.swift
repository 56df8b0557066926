internal import SessionModels
internal import Synchronization

/// Values that live and die with the stored session.
///
/// For what belongs to whoever is signed in: drafts, cached answers, messages that wait to be sent.
/// Each belongs to one generation of the session (``SessionRecord/generation``). Whatever ends it,
/// in whichever process, removes them in the same transaction; so does a wipe without a key
/// (``SecureSessionStorage/wipe(storeAt:reason:options:)``). Nothing can write one for a session
/// that is over, and none is ever read for another session (R4).
///
/// They share the session's namespace, so keep them few: dozens rather than thousands. A commit of
/// theirs is durable like any, and counted by a vault like the app's own values, not like a
/// session's.
public struct SessionValues: Sendable {
  /// What becomes of a value.
  public enum Change: Sendable {
    /// It stays as it is.
    case keep
    /// It is replaced.
    case set([UInt8])
    /// It is removed, and overwritten where it was.
    case remove
  }

  private static let prefix = "value."

  private let store: SecureStore
  private let session: SecureSessionStorage

  /// The values of a store's session.
  public init(store: SecureStore) {
    self.store = store
    session = SecureSessionStorage(store: store)
  }

  /// The generation of the session; nil while nobody is signed in.
  ///
  /// - Returns: It, from memory when nothing was committed since.
  /// - Throws: ``StorageError``, as ``SecureSessionStorage/record()``.
  public func generation() throws(StorageError) -> UInt64? {
    let record = try session.record()
    return record.authInfo == nil ? nil : record.generation
  }

  /// The bytes of a key, or nil where there is none, or the session is over.
  ///
  /// - Parameters:
  ///   - key: Which one.
  ///   - generation: Whose.
  /// - Returns: A copy of the value.
  /// - Throws: ``StorageError``: `damaged` or `tampered`, never nil for what has vanished.
  public func data(
    forKey key: String,
    of generation: UInt64
  ) throws(StorageError) -> [UInt8]? {
    try store.data(forKey: SessionValues.name(key, generation), in: .session)
  }

  /// The keys that have a value, sorted by their bytes.
  ///
  /// - Parameter generation: Whose.
  /// - Returns: The keys; none where the session is over.
  /// - Throws: ``StorageError``.
  public func keys(of generation: UInt64) throws(StorageError) -> [String] {
    let start = SessionValues.name("", generation)
    return try store.keys(in: .session).filter { $0.hasPrefix(start) }
      .map { String($0.dropFirst(start.count)) }
  }

  /// Changes a value in one durable transaction, with no other writer in between.
  ///
  /// - Parameters:
  ///   - key: Which one; at most 990 bytes of UTF-8 without NUL.
  ///   - generation: Whose.
  ///   - change: Gets the value as it is inside the transaction, nil for none.
  /// - Returns: Whether the session is still that one; else nothing was changed.
  /// - Throws: ``StorageError``; nothing was changed then.
  public func update(
    _ key: String,
    of generation: UInt64,
    _ change: @escaping @Sendable (_ present: [UInt8]?) -> Change
  ) async throws(StorageError) -> Bool {
    try await store.transaction { transaction throws(StorageError) in
      let record = try SecureSessionStorage.record(in: &transaction)
      guard record.generation == generation, record.authInfo != nil else { return false }
      let name = SessionValues.name(key, generation)
      transaction.changesSessionValuesOnly = true
      let present = try transaction.secret(forKey: name, in: .session)
      switch change(present?.withBytes { Array($0) }) {
      case .keep: break
      case .set(let bytes): try transaction.set(Secret(bytes: bytes), forKey: name, in: .session)
      case .remove: try transaction.remove(name, in: .session)
      }
      return true
    }
  }

  static func name(_ key: String, _ generation: UInt64) -> String {
    prefix + String(generation, radix: 16) + "." + key
  }

  /// Whether a key of the session's namespace is one of these, and not the session itself.
  static func isName(of name: KeyName) -> Bool { name.text.hasPrefix(prefix) }

  /// All values of a session.
  static func all(
    of generation: UInt64,
    in transaction: inout StoreTransaction
  ) throws(StorageError) -> [String: [UInt8]] {
    let start = name("", generation)
    var found: [String: [UInt8]] = [:]
    for name in try transaction.keys(in: .session) where name.hasPrefix(start) {
      let value = try transaction.secret(forKey: name, in: .session)
      found[String(name.dropFirst(start.count))] = value?.withBytes { Array($0) }
    }
    return found
  }

  /// Removes what belonged to a session that is over.
  static func removeAll(in transaction: inout StoreTransaction) throws(StorageError) {
    for key in try transaction.keys(in: .session) where key.hasPrefix(prefix) {
      try transaction.remove(key, in: .session)
    }
  }
}
