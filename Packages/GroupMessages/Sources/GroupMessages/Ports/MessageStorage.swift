/// What this package needs of an encrypted store: values that live and die with the session.
///
/// The app hands in an adapter to its store. Every value belongs to one ``SessionPeriod`` and is
/// gone when that is over, whoever ended it: this process, another one, the server, or a wipe
/// without a key. Several processes may share the store, and each read sees the last commit of
/// any of them. Without a store ``InMemoryMessageStorage`` takes its place.
///
/// What it throws reaches the caller as ``MessageError/storage(_:)``.
public protocol MessageStorage: Sendable {
  /// The signed-in period as it is stored now; nil while nobody is signed in.
  ///
  /// Asked for often, so it should come from memory.
  func period() throws -> SessionPeriod?

  /// A value, or nil where there is none or the period is over.
  ///
  /// - Parameters:
  ///   - key: at most 900 bytes of printable ASCII.
  ///   - period: whose value it is.
  /// - Returns: the value.
  /// - Throws: why the store cannot be read.
  func value(forKey key: String, in period: SessionPeriod) throws -> [UInt8]?

  /// The keys of all values of a period; none where it is over.
  func keys(in period: SessionPeriod) throws -> [String]

  /// Changes a value in one durable transaction, with no other writer of any process in between.
  ///
  /// - Parameters:
  ///   - key: which one.
  ///   - period: whose value it is.
  ///   - change: pure; gets the value as it is inside the transaction, nil for none.
  /// - Throws: ``MessageError/sessionChanged`` where the period is over, else why the store cannot
  ///   be written; nothing was changed then.
  func update(
    _ key: String,
    in period: SessionPeriod,
    _ change: @escaping @Sendable (_ present: [UInt8]?) -> StoredValueChange
  ) async throws
}

/// What becomes of a stored value.
public enum StoredValueChange: Hashable, Sendable {
  /// It stays as it is.
  case keep
  /// It is replaced.
  case set([UInt8])
  /// It is removed, and overwritten where it was.
  case remove
}
