/// A vault that can also count, outside the store and only upwards.
///
/// The store seals the number into every commit that must not be undone and then has the vault
/// count, so that a whole home put back from a copy is noticed (R15): its number is too low.
///
/// Both functions may block and are called as ``KeyVault``'s are; writers of all processes take
/// turns around ``count()``. The counter belongs to the root key: setting the first key makes it,
/// forgetting the key forgets it.
public protocol CountingVault: KeyVault {
  /// The counter's value; nil where there is no counter, as after somebody deleted it.
  ///
  /// - Returns: The value.
  /// - Throws: as ``KeyVault/rootKey()``.
  func counter() throws(StorageError) -> UInt64?

  /// Counts up by one, durably, and makes the counter where there is none.
  ///
  /// - Returns: The new value, above every one before.
  /// - Throws: as ``KeyVault/rootKey()``; the value is as it was or one higher then.
  func count() throws(StorageError) -> UInt64
}

extension CountingVault {
  /// Itself.
  public var counting: (any CountingVault)? { self }
}
