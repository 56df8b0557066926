/// A vault that may answer from memory, and can be told that the answer is out of date.
///
/// The store does so where a key does not open it, and asks once more.
public protocol ForgetfulVault: KeyVault {
  /// Drops what is remembered.
  ///
  /// - Returns: Whether the last key came from memory, so that asking again is worth while.
  func forgetCachedKey() -> Bool
}
