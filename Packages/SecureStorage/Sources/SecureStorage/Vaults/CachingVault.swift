internal import Synchronization

/// Remembers the key of another vault for a while, so that a passphrase is asked for once in that
/// time and not by every process.
///
/// ```swift
/// let vault = CachingVault(
///   PassphraseVault(path: file, passphrase: ask),
///   cache: KernelKeyringVault(account: "unlocked:" + directory, timeout: .seconds(600))
/// )
/// ```
///
/// The cache is never the only copy: it is not looked at where the other vault keeps no key, and a
/// cache that fails is passed over. To the store this is the other vault, by name and patience.
public final class CachingVault<Inner: KeyPresenceVault>: KeyPresenceVault, ForgetfulVault {
  private let inner: Inner
  private let cache: any KeyVault
  private let isFromCache = Atomic(false)

  /// The other vault's counter.
  public var counting: (any CountingVault)? { inner.counting }

  /// The other vault's.
  public var name: VaultName { inner.name }

  /// The other vault's.
  public var patience: Duration { inner.patience }

  /// A vault with a memory.
  ///
  /// - Parameters:
  ///   - inner: Keeps the key.
  ///   - cache: Remembers it, and forgets it in time: `KernelKeyringVault` with a time-out.
  public init(_ inner: Inner, cache: any KeyVault) {
    self.inner = inner
    self.cache = cache
  }

  /// The key, remembered or else asked for.
  ///
  /// - Returns: The key.
  /// - Throws: as the other vault's.
  public func rootKey() throws(StorageError) -> RootKey? {
    isFromCache.store(false, ordering: .relaxed)
    guard try inner.keepsKey() else { return nil }
    if let remembered = try? cache.rootKey() {
      isFromCache.store(true, ordering: .relaxed)
      return remembered
    }
    guard let key = try inner.rootKey() else { return nil }
    try? cache.setRootKey(key)
    return key
  }

  /// Keeps a key in the other vault, and remembers it; nil forgets both.
  ///
  /// - Parameter key: What to keep.
  /// - Throws: as the other vault's; the key before is kept and remembered then.
  public func setRootKey(_ key: RootKey?) throws(StorageError) {
    try inner.setRootKey(key)
    isFromCache.store(false, ordering: .relaxed)
    // What could not be replaced must not go on to be served.
    do { try cache.setRootKey(key) } catch { try? cache.setRootKey(nil) }
  }

  /// Whether the other vault keeps a key.
  ///
  /// - Returns: Whether it does.
  /// - Throws: as the other vault's.
  public func keepsKey() throws(StorageError) -> Bool { try inner.keepsKey() }

  /// Forgets what is remembered; the other vault keeps its key.
  ///
  /// - Returns: Whether the last key was remembered.
  @discardableResult
  public func forgetCachedKey() -> Bool {
    try? cache.setRootKey(nil)
    return isFromCache.exchange(false, ordering: .relaxed)
  }
}

extension CachingVault: UnlockTellingVault where Inner: UnlockTellingVault {
  /// The other vault's unlocking.
  ///
  /// - Parameter changed: As there.
  /// - Returns: As there.
  public func observeUnlocking(_ changed: @escaping @Sendable () -> Void) -> VaultObservation? {
    inner.observeUnlocking(changed)
  }
}
