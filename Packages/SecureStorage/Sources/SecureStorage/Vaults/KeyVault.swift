/// Keeps one root key, outside the store that it opens.
///
/// A vault of your own is two functions.
///
/// Both may block and are called on a thread of the store's own, at most once an open, with
/// ``patience`` as the deadline. What a vault throws tells the states of R14 apart:
/// `vaultLocked`, `vaultUnavailable`, `wrongKey` (a wrong passphrase, another device), `keyLost`
/// (what it kept is damaged or invalidated). Absent is nil, and nil only.
public protocol KeyVault: Sendable {
  /// The name that the store remembers.
  var name: VaultName { get }

  /// How long the store waits for an answer before it says `vaultUnavailable`.
  var patience: Duration { get }

  /// Whether it does no more than read and write files of this machine, as the store itself does.
  ///
  /// It is then called without a thread of its own and without a deadline. No, unless said
  /// otherwise.
  var answersAtOnce: Bool { get }

  /// This vault as one that can count; nil where it cannot, as unless said otherwise.
  var counting: (any CountingVault)? { get }

  /// The key that is kept, or nil where this vault has never kept one.
  ///
  /// - Returns: The key; nil says *absent*.
  /// - Throws: `vaultLocked`, `vaultUnavailable`, `wrongKey`, `keyLost`, `io`.
  func rootKey() throws(StorageError) -> RootKey?

  /// Keeps a key in place of the one before, atomically and durably; nil forgets it.
  ///
  /// - Parameter key: What to keep.
  /// - Throws: as ``rootKey()``; the key before is kept then.
  func setRootKey(_ key: RootKey?) throws(StorageError)
}

extension KeyVault {
  /// Twenty seconds.
  public var patience: Duration { .seconds(20) }

  /// No.
  public var answersAtOnce: Bool { false }

  /// Nil.
  public var counting: (any CountingVault)? { nil }
}
