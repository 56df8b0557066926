/// Keeps the root key, and a counter against rollback, as two items of Apple's keychain.
///
/// Items survive the app's removal, so a fresh install may find a key: it is used, and no session
/// comes with it, because that lies in the store (R15).
public struct KeychainVault: CountingVault {
  private let key: KeychainQuery
  private let number: KeychainQuery
  private let accessibility: KeychainAccessibility
  private let keychain: any Keychain

  /// `keychain`.
  public var name: VaultName { .keychain }

  /// A vault in a keychain.
  ///
  /// - Parameters:
  ///   - service: Tells this app's items from those of others; the counter's has `.counter` behind
  ///     it.
  ///   - account: Tells the app's stores apart: one for each.
  ///   - accessGroup: The group whose apps and extensions share the store; nil for the app alone.
  ///   - accessibility: When the key may be read. An item that was made with another one takes
  ///     this one when the key is next set.
  ///   - keychain: Whose items.
  public init(
    service: String,
    account: String,
    accessGroup: String? = nil,
    accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly,
    keychain: any Keychain
  ) {
    key = KeychainQuery(service: service, account: account, accessGroup: accessGroup)
    number = KeychainQuery(
      service: service + ".counter",
      account: account,
      accessGroup: accessGroup
    )
    self.accessibility = accessibility
    self.keychain = keychain
  }

  /// The key in the keychain, or nil where there is no item.
  ///
  /// - Returns: The key.
  /// - Throws: `vaultLocked` while the device is locked, `vaultUnavailable`, `keyLost` where the
  ///   item holds something else, `io`.
  public func rootKey() throws(StorageError) -> RootKey? {
    guard var bytes = try content(of: key) else { return nil }
    defer { Sodium.wipe(&bytes) }
    guard let root = RootKey(bytes) else {
      throw .keyLost("The keychain's item \(key.account) is not the key of a store")
    }
    return root
  }

  /// Replaces the item's content; nil removes both items.
  ///
  /// - Parameter key: What to keep.
  /// - Throws: as ``rootKey()``; the key is as it was then.
  public func setRootKey(_ key: RootKey?) throws(StorageError) {
    guard let key else {
      try remove(self.key)
      return try remove(number)
    }
    var bytes = key.withBytes { Array($0) }
    defer { Sodium.wipe(&bytes) }
    try put(bytes, in: self.key)
    try makeCounter()
  }

  /// The counter's value, or nil where there is no item that holds one.
  ///
  /// - Returns: The value.
  /// - Throws: as ``rootKey()``.
  public func counter() throws(StorageError) -> UInt64? {
    guard let bytes = try content(of: number) else { return nil }
    var reader = ByteReader(bytes)
    guard bytes.count == MemoryLayout<UInt64>.size else { return nil }
    return reader.number(UInt64.self)
  }

  /// Counts up by one.
  ///
  /// - Returns: The new value.
  /// - Throws: as ``rootKey()``.
  public func count() throws(StorageError) -> UInt64 {
    let next = (try counter() ?? 0) + 1
    try put(next.bigEndianBytes, in: number)
    return next
  }
}

extension KeychainVault: UnlockTellingVault {
  /// Nil: only an app is told that protected data became available, by UIKit, and passes it on.
  public func observeUnlocking(_ changed: @escaping @Sendable () -> Void) -> VaultObservation? {
    nil
  }
}

extension KeychainVault {
  private func content(of query: KeychainQuery) throws(StorageError) -> [UInt8]? {
    do {
      return try keychain.copyMatching(query)
    } catch {
      guard error == .itemNotFound else { throw error.error("read") }
      return nil
    }
  }

  /// Adds or, where there is an item, updates it.
  ///
  /// Never the other way round, nor by removing it first: a crash in between would leave nothing,
  /// and an item that cannot be seen just now would be taken for one that is not there.
  private func put(_ bytes: [UInt8], in query: KeychainQuery) throws(StorageError) {
    do {
      try keychain.add(query, accessibility: accessibility, data: bytes)
    } catch {
      guard error == .duplicateItem else { throw error.error("keep") }
      do {
        try keychain.update(query, accessibility: accessibility, data: bytes)
      } catch {
        throw error.error("replace")
      }
    }
  }

  /// A counter that is there goes on: a store from before may still have to be told from this one.
  private func makeCounter() throws(StorageError) {
    do {
      try keychain.add(number, accessibility: accessibility, data: UInt64(0).bigEndianBytes)
    } catch {
      guard error == .duplicateItem else { throw error.error("count for") }
    }
  }

  private func remove(_ query: KeychainQuery) throws(StorageError) {
    do {
      try keychain.delete(query)
    } catch {
      guard error == .itemNotFound else { throw error.error("forget") }
    }
  }
}

#if canImport(Security)
extension KeychainVault {
  /// A vault in the system's keychain.
  ///
  /// - Parameters:
  ///   - service: As in ``init(service:account:accessGroup:accessibility:keychain:)``.
  ///   - account: As there.
  ///   - accessGroup: As there.
  ///   - accessibility: As there.
  public init(
    service: String,
    account: String,
    accessGroup: String? = nil,
    accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly
  ) {
    self.init(
      service: service,
      account: account,
      accessGroup: accessGroup,
      accessibility: accessibility,
      keychain: SystemKeychain()
    )
  }
}
#endif
