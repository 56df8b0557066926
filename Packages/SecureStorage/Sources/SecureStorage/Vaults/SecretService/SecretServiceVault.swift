#if SecretService && os(Linux)
/// Keeps the root key in the desktop's keyring, by the Secret Service, as GNOME Keyring has it.
///
/// It never prompts and never unlocks anything. A locked keyring is `vaultLocked`; no bus, no
/// daemon, no default keyring and no answer are four messages of `vaultUnavailable`.
///
/// Where the caller names the account after the store's place, a copy of a home elsewhere finds no
/// key and starts signed out (R15).
public struct SecretServiceVault: CountingVault {
  private let account: String
  let busAddress: String?

  /// `secret-service`.
  public var name: VaultName { .secretService }

  /// How long the store waits for an answer.
  public let patience: Duration

  /// A vault in the keyring of the session.
  ///
  /// - Parameters:
  ///   - account: Tells the keys of several stores apart, such as the store's canonical path. It is
  ///     shown in the keyring, and not secret.
  ///   - busAddress: The D-Bus address of the session's bus; nil asks the environment for it.
  ///   - patience: How long to wait for the daemon.
  public init(account: String, busAddress: String? = nil, patience: Duration = .seconds(10)) {
    self.account = account
    self.busAddress = busAddress
    self.patience = patience
  }

  /// The key in the keyring, or nil where there is no item of the account's.
  ///
  /// Of several items, as after somebody copied one, the one that was changed last counts.
  ///
  /// - Returns: The key.
  /// - Throws: `vaultLocked`, `vaultUnavailable`; `keyLost` where the item holds no key.
  public func rootKey() throws(StorageError) -> RootKey? {
    try onBus { bus throws(SecretServiceFailure) in try key(bus) }.get()
  }

  /// Keeps a key in the item, which is replaced in one step; nil removes it.
  ///
  /// - Parameter key: What to keep.
  /// - Throws: `vaultLocked`, `vaultUnavailable`; what was kept is kept then, unless the daemon
  ///   answered too late.
  public func setRootKey(_ key: RootKey?) throws(StorageError) {
    let isKept = try onBus { bus throws(SecretServiceFailure) in
      let (keys, counters) = (items(bus, .key), items(bus, .counter))
      guard let key else {
        try keys.delete()
        try counters.delete()
        return true
      }
      // Before the key, which says that all is there. One that was left behind only counts on.
      if try keys.unlocked().isEmpty, try counters.unlocked().isEmpty {
        try Self.write(0, to: counters)
      }
      try key.withBytes { bytes throws(SecretServiceFailure) in
        try SecretText.encode(bytes) { text throws(SecretServiceFailure) in try keys.write(text) }
      }
      guard case .success(let kept?) = try self.key(bus) else { return false }
      return kept.isSame(as: key)
    }
    guard isKept else {
      throw SecretServiceFailure.refused("it did not keep what it was given").storageError
    }
  }

  /// The counter in the keyring; nil where there is none, or its item was spoilt.
  ///
  /// - Returns: The value.
  /// - Throws: `vaultLocked`, `vaultUnavailable`.
  public func counter() throws(StorageError) -> UInt64? {
    try onBus { bus throws(SecretServiceFailure) in try Self.number(items(bus, .counter)) }
  }

  /// Counts up by one.
  ///
  /// - Returns: The new value.
  /// - Throws: as ``counter()``.
  public func count() throws(StorageError) -> UInt64 {
    try onBus { bus throws(SecretServiceFailure) in
      let counters = items(bus, .counter)
      let next = try (Self.number(counters) ?? 0) + 1
      try Self.write(next, to: counters)
      return next
    }
  }
}

extension SecretServiceVault {
  private func onBus<Result>(
    _ body: (SecretBus) throws(SecretServiceFailure) -> Result
  ) throws(StorageError) -> Result {
    guard !account.utf8.contains(0) else {
      throw .invalidInput("The vault's account has a NUL in it", advice: "Name it otherwise.")
    }
    do throws(SecretServiceFailure) {
      // A little before the store's own deadline, to say what it was that did not answer.
      let connection = try DBusConnection(address: busAddress, patience: patience * 0.9)
      return try body(SecretBus(on: connection))
    } catch {
      throw error.storageError
    }
  }

  private func items(_ bus: SecretBus, _ kind: SecretItems.Kind) -> SecretItems {
    SecretItems(bus: bus, account: account, kind: kind)
  }

  private func key(
    _ bus: SecretBus
  ) throws(SecretServiceFailure) -> Result<RootKey?, StorageError> {
    let items = items(bus, .key)
    let paths = try items.unlocked()
    for path in paths {
      let key = try items.read(path) { text -> RootKey? in
        guard var bytes = SecretText.decode(text, count: RootKey.length) else { return nil }
        defer { Sodium.wipe(&bytes) }
        return RootKey(bytes)
      }
      if let key { return .success(key) }
    }
    guard paths.isEmpty else { return .failure(.keyLost("The keyring's item holds no key")) }
    return .success(nil)
  }

  /// The highest number, for a counter only goes up; nil where there is none.
  private static func number(_ items: SecretItems) throws(SecretServiceFailure) -> UInt64? {
    var highest: UInt64?
    for path in try items.unlocked() {
      let number = try items.read(path) { text -> UInt64? in
        SecretText.decode(text, count: 8)?.reduce(0) { $0 << 8 | UInt64($1) }
      }
      if let number { highest = max(number, highest ?? 0) }
    }
    return highest
  }

  private static func write(_ number: UInt64, to items: SecretItems) throws(SecretServiceFailure) {
    try withUnsafeBytes(of: number.bigEndian) { bytes throws(SecretServiceFailure) in
      try SecretText.encode(bytes) { text throws(SecretServiceFailure) in try items.write(text) }
    }
  }
}
#endif
