public import SecureStorage
internal import Synchronization

/// A vault in memory, with every answer on demand.
///
/// Copies share what it keeps.
public final class InMemoryVault: KeyVault {
  private struct State {
    var key: RootKey?
    var failure: StorageError?
    var calls = 0
  }

  /// The name that the store remembers.
  public let name: VaultName
  /// How long the store waits for an answer.
  public let patience: Duration
  private let state: Mutex<State>

  /// A vault that holds a key, or none.
  public init(
    name: VaultName = VaultName(rawValue: "in-memory"),
    key: RootKey? = nil,
    patience: Duration = .seconds(20)
  ) {
    self.name = name
    self.patience = patience
    state = Mutex(State(key: key))
  }

  /// From now on each call throws this; nil lets calls succeed again.
  public func fail(with error: StorageError?) { state.withLock { $0.failure = error } }

  /// How often the key was asked for.
  public var calls: Int { state.withLock { $0.calls } }

  /// The key that is kept.
  ///
  /// - Returns: The key, or nil where there is none.
  /// - Throws: what ``fail(with:)`` was given.
  public func rootKey() throws(StorageError) -> RootKey? {
    try state.withLock { state throws(StorageError) in
      state.calls += 1
      if let failure = state.failure { throw failure }
      return state.key
    }
  }

  /// Keeps a key, or forgets it.
  ///
  /// - Parameter key: What to keep.
  /// - Throws: what ``fail(with:)`` was given.
  public func setRootKey(_ key: RootKey?) throws(StorageError) {
    try state.withLock { state throws(StorageError) in
      if let failure = state.failure { throw failure }
      state.key = key
    }
  }
}
