public import SecureStorage
internal import Synchronization

/// A vault in memory that can also count, with every answer on demand.
///
/// Copies share what it keeps.
public final class InMemoryCountingVault: CountingVault {
  private struct State {
    var value: UInt64?
    var failure: StorageError?
    var reads = 0
  }

  private let keys: InMemoryVault
  /// What a counter that is made counts to first, which on a chip may be any number.
  private let first: UInt64
  private let state: Mutex<State>

  /// A vault without a key and a counter.
  ///
  /// - Parameters:
  ///   - name: The name that the store remembers.
  ///   - first: What the counter begins with when it is made.
  public init(
    name: VaultName = VaultName(rawValue: "in-memory-counting"),
    first: UInt64 = 1
  ) {
    keys = InMemoryVault(name: name)
    self.first = first
    state = Mutex(State())
  }

  /// The name that the store remembers.
  public var name: VaultName { keys.name }

  /// The counter as it is, whatever ``failCounting(with:)`` says; nil where there is none.
  ///
  /// Setting it is what somebody does who has the vault in his hands.
  public var value: UInt64? {
    get { state.withLock { $0.value } }
    set { state.withLock { $0.value = newValue } }
  }

  /// How often the counter was read, which is dear, too.
  public var reads: Int { state.withLock { $0.reads } }

  /// From now on the counter's functions throw this; nil lets them succeed again.
  public func failCounting(with error: StorageError?) { state.withLock { $0.failure = error } }

  /// The key that is kept.
  ///
  /// - Returns: The key, or nil where there is none.
  /// - Throws: nothing.
  public func rootKey() throws(StorageError) -> RootKey? { try keys.rootKey() }

  /// Keeps a key, or forgets it and the counter.
  ///
  /// - Parameter key: What to keep.
  /// - Throws: nothing.
  public func setRootKey(_ key: RootKey?) throws(StorageError) {
    try keys.setRootKey(key)
    if key == nil { value = nil }
  }

  /// The counter's value, or nil where there is none.
  ///
  /// - Returns: The value.
  /// - Throws: what ``failCounting(with:)`` was given.
  public func counter() throws(StorageError) -> UInt64? {
    try state.withLock { state throws(StorageError) in
      state.reads += 1
      if let failure = state.failure { throw failure }
      return state.value
    }
  }

  /// Counts up by one, and makes the counter where there is none.
  ///
  /// - Returns: The new value.
  /// - Throws: what ``failCounting(with:)`` was given.
  public func count() throws(StorageError) -> UInt64 {
    try state.withLock { state throws(StorageError) in
      if let failure = state.failure { throw failure }
      let next = state.value.map { $0 + 1 } ?? first
      state.value = next
      return next
    }
  }
}
