extension AwakeningSessionStorage {
  /// The session of the store in a directory; starts to open it.
  ///
  /// - Parameters:
  ///   - directory: As in ``SecureStore/open(at:options:vault:)``.
  ///   - options: The defaults are right outside tests.
  ///   - vault: Where the root key is.
  ///   - sleep: How to wait.
  public convenience init(
    at directory: String,
    options: StoreOptions = StoreOptions(),
    vault: any KeyVault,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.init(directory, options, sleep) { last throws(StorageError) in
      last.value = vault
      return try await SecureStore.open(at: directory, options: options, vault: vault)
    }
  }

  /// The session of the store in a directory, with vaults to choose from; starts to open it.
  ///
  /// - Parameters:
  ///   - directory: As in ``SecureStore/open(at:options:choosingVaults:)``.
  ///   - options: The defaults are right outside tests.
  ///   - vaults: As in ``SecureStore/open(at:options:choosingVaults:)``; asked at each try.
  ///   - sleep: How to wait.
  public convenience init(
    at directory: String,
    options: StoreOptions = StoreOptions(),
    choosingVaults vaults:
      @escaping @Sendable (VaultName?) throws(StorageError) -> [any KeyVault],
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.init(directory, options, sleep) { last throws(StorageError) in
      try await SecureStore.open(at: directory, options: options) { name throws(StorageError) in
        let vaults = try vaults(name)
        last.value = vaults.first
        return vaults
      }
    }
  }

  /// The session of a store that the caller opens; starts to open it.
  ///
  /// - Parameters:
  ///   - directory: The store's, for wiping the session without a key.
  ///   - options: The defaults are right outside tests.
  ///   - vault: The one to listen to, where it can tell.
  ///   - sleep: How to wait.
  ///   - opening: Opens the store; called again after `vaultLocked` and `vaultUnavailable`.
  public convenience init(
    at directory: String,
    options: StoreOptions = StoreOptions(),
    listeningTo vault: (any UnlockTellingVault)? = nil,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    opening: @escaping @Sendable () async throws(StorageError) -> SecureStore
  ) {
    self.init(directory, options, sleep) { last throws(StorageError) in
      last.value = vault
      return try await opening()
    }
  }
}
