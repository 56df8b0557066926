public import SessionModels

/// Keeps the root key in a file, sealed under a passphrase by Argon2id.
///
/// The root key is random and the passphrase only wraps it, so a change of passphrase replaces
/// this one small file and no value is sealed again.
public struct PassphraseVault: KeyPresenceVault {
  private let file: VaultFile
  private let cost: KeyDerivationCost
  private let random: RandomSource
  private let passphrase: @Sendable () throws(StorageError) -> Secret?

  /// `passphrase`.
  public var name: VaultName { .passphrase }

  /// Ten minutes: somebody may be typing.
  public var patience: Duration { .seconds(600) }

  /// A vault in a file.
  ///
  /// - Parameters:
  ///   - path: The file; made with mode 0600 when the store is.
  ///   - cost: For what is sealed from now on; what is there keeps its own until then.
  ///   - random: Where salts and nonces come from.
  ///   - passphrase: Asks for it, on a thread that may wait; nil says that there is none now,
  ///     and the vault is locked.
  public init(
    path: String,
    cost: KeyDerivationCost = .interactive,
    random: RandomSource = .system,
    passphrase: @escaping @Sendable () throws(StorageError) -> Secret?
  ) {
    file = VaultFile(path: path)
    self.cost = cost
    self.random = random
    self.passphrase = passphrase
  }

  /// The key, opened with the passphrase; nil where there is no file.
  ///
  /// - Returns: The key.
  /// - Throws: `vaultLocked` without a passphrase, `wrongKey` with a wrong one, `keyLost` where
  ///   the file is damaged, `newerFormat`, `vaultUnavailable` where the memory for Argon2id cannot
  ///   be had, `io`.
  public func rootKey() throws(StorageError) -> RootKey? {
    guard try file.read() != nil else { return nil }
    return try rootKey(askedPassphrase())
  }

  /// Whether there is a file.
  ///
  /// - Returns: Whether there is.
  /// - Throws: as ``rootKey()``, but nobody is asked for a passphrase.
  public func keepsKey() throws(StorageError) -> Bool { try file.read() != nil }

  private func rootKey(_ passphrase: Secret) throws(StorageError) -> RootKey? {
    guard let content = try file.read() else { return nil }
    if PassphraseFile.isNewer(content) {
      throw .newerFormat("The key file \(file.path) has a newer format")
    }
    guard let sealed = PassphraseFile(encoded: content) else {
      throw .keyLost("The key file \(file.path) has a form that this build does not know")
    }
    switch passphrase.withBytes({ sealed.open(with: $0) }) {
    case .key(let key): return key
    case .outOfMemory: throw outOfMemory(sealed.cost)
    case .wrongPassphrase:
      throw .wrongKey("The passphrase is wrong", advice: "Try again. Nothing was changed.")
    }
  }

  /// Seals a key under the passphrase and replaces the file; nil overwrites and removes it.
  ///
  /// - Parameter key: What to keep.
  /// - Throws: as ``rootKey()``, and `invalidInput` for an empty passphrase; the file is as it
  ///   was then.
  public func setRootKey(_ key: RootKey?) throws(StorageError) {
    guard let key else { return try file.removeExclusively() }
    let passphrase = try askedPassphrase()
    try file.exclusively { () throws(StorageError) in
      // Not to bring back a passphrase that another process has changed.
      _ = try rootKey(passphrase)
      try write(key, under: passphrase)
    }
  }

  /// Changes the passphrase, whatever the store holds; a crash leaves the old or the new one.
  ///
  /// - Parameter new: Not empty.
  /// - Throws: as ``rootKey()``, `keyLost` where there is no file, and `invalidInput` for an
  ///   empty passphrase.
  public func changePassphrase(to new: Secret) async throws(StorageError) {
    try await OpenStores.opening.run { () throws(StorageError) in
      guard try file.read() != nil else {
        throw .keyLost("There is no key file \(file.path)")
      }
      let old = try askedPassphrase()
      try file.exclusively { () throws(StorageError) in
        guard let key = try rootKey(old) else {
          throw .misuse(
            "The key file \(file.path) is gone: another process has moved the key",
            advice: "Nothing was changed. See where it is (`store info`)."
          )
        }
        try write(key, under: new)
      }
    }
  }

  private func write(_ key: RootKey, under passphrase: Secret) throws(StorageError) {
    guard !passphrase.isEmpty else {
      throw .invalidInput("The passphrase is empty", advice: "Choose one.")
    }
    let sealed = passphrase.withBytes {
      PassphraseFile(key, under: $0, cost: cost, random: random)
    }
    guard let sealed else { throw outOfMemory(cost) }
    try file.write(sealed.encoded())
  }

  private func askedPassphrase() throws(StorageError) -> Secret {
    guard let passphrase = try passphrase() else {
      throw StorageError(
        .vaultLocked,
        "The store is locked by a passphrase, and none was given",
        advice: "Give the passphrase and try again. Nothing was changed."
      )
    }
    return passphrase
  }

  private func outOfMemory(_ cost: KeyDerivationCost) -> StorageError {
    StorageError(
      .vaultUnavailable,
      "There is not enough memory to try the passphrase (\(cost.memory / 1024) KiB)",
      advice: "Close other programs and try again."
    )
  }
}
