/// Something was committed to a store, by this or another process.
public struct StoreChange: Equatable, Sendable {
  /// The commit's number.
  ///
  /// Later ones are higher; several commits of another process may be told as one.
  public let generation: UInt64
  /// What may have changed; all of it where another process committed.
  public let namespaces: Set<StoreNamespace>
}
