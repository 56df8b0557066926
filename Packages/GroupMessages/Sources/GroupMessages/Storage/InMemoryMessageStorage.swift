internal import Synchronization

/// Keeps values for as long as the process lives: for tests, and for apps without a store.
public final class InMemoryMessageStorage: MessageStorage {
  private struct State {
    var period: SessionPeriod?
    var values: [String: [UInt8]] = [:]
  }

  private let state: Mutex<State>

  /// An empty storage.
  ///
  /// - Parameter period: the signed-in period; nil while nobody is signed in.
  public init(period: SessionPeriod? = SessionPeriod(generation: 1)) {
    state = Mutex(State(period: period))
  }

  /// Begins another period, and drops all values of the one before.
  ///
  /// Call it at sign-in, sign-out and change of account.
  ///
  /// - Parameter period: nil where nobody is signed in from now on.
  public func begin(_ period: SessionPeriod?) {
    state.withLock { state in
      guard state.period != period else { return }
      state = State(period: period)
    }
  }

  /// The period, as it was begun last.
  public func period() -> SessionPeriod? { state.withLock { $0.period } }

  /// The value of a key, or nil.
  public func value(forKey key: String, in period: SessionPeriod) -> [UInt8]? {
    state.withLock { $0.period == period ? $0.values[key] : nil }
  }

  /// The keys that have a value, sorted.
  public func keys(in period: SessionPeriod) -> [String] {
    state.withLock { $0.period == period ? $0.values.keys.sorted() : [] }
  }

  /// Changes a value.
  ///
  /// - Throws: ``MessageError/sessionChanged`` where the period is over.
  public func update(
    _ key: String,
    in period: SessionPeriod,
    _ change: @escaping @Sendable (_ present: [UInt8]?) -> StoredValueChange
  ) async throws {
    try state.withLock { state in
      guard state.period == period else { throw MessageError.sessionChanged }
      switch change(state.values[key]) {
      case .keep: break
      case .set(let bytes): state.values[key] = bytes
      case .remove: state.values[key] = nil
      }
    }
  }
}
