/// A vault that knows whether it keeps a key without asking anybody for anything.
public protocol KeyPresenceVault: KeyVault {
  /// Whether a key is kept, be it one that cannot be had just now.
  ///
  /// - Returns: Whether it is.
  /// - Throws: `io`, `vaultUnavailable`.
  func keepsKey() throws(StorageError) -> Bool
}
