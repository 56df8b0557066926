internal import SecureStorage
internal import SessionModels

/// Opens a profile's store with the vault that it was made with.
struct StoreOpening: Sendable {
  private let profile: ProfileDirectory
  private let wanted: VaultName?
  private let environment: [String: String]
  private let input: any InputSource

  /// An opening for a composition's profile and options.
  ///
  /// - Parameters:
  ///   - composition: whose profile it is.
  ///   - wanted: the vault that the store must have; nil takes the one that it has.
  init(_ composition: Composition, wanted: VaultName?) {
    profile = composition.profile
    self.wanted = wanted
    environment = composition.environment
    input = composition.input
  }

  /// Opens it, or makes it, in a file vault where nothing else is wanted.
  ///
  /// - Throws: ``ClientError``: a passphrase that nobody can be asked for is a locked vault.
  func open() async throws(ClientError) -> SecureStore {
    try await withStorageErrors { () async throws(StorageError) in
      try await SecureStore.open(at: profile.storeDirectory) { recorded throws(StorageError) in
        // Where the option names another one than the store was made with, opening says so.
        try vault(wanted ?? recorded ?? .file, isNew: recorded == nil)
      }
    }
  }

  /// A vault by name.
  ///
  /// - Parameters:
  ///   - name: the vault's.
  ///   - isNew: whether its passphrase, if it has one, is being chosen.
  /// - Returns: the vault.
  /// - Throws: `vaultUnavailable` for one that this build does not have.
  func vault(_ name: VaultName, isNew: Bool) throws(StorageError) -> any KeyVault {
    switch name {
    case .file: return FileVault(path: profile.keyFile)
    case .passphrase:
      return PassphraseVault(path: profile.passphraseFile) { () throws(StorageError) in
        guard let given = try passphrase(variable: "HEADLESS_CLIENT_PASSPHRASE", isNew: isNew)
        else { throw noPassphrase(isNew: isNew) }
        return given
      }
    default:
      throw StorageError(
        .vaultUnavailable,
        "The store's key lives in the vault \(name), which this build does not have",
        advice: "Use a build that has it."
      )
    }
  }

  private func noPassphrase(isNew: Bool) -> StorageError {
    StorageError(
      .vaultLocked,
      isNew
        ? "A passphrase is to be chosen, and there is no terminal to ask for it at"
        : "The store is locked by a passphrase, and there is no terminal to ask for it at",
      advice: "Set HEADLESS_CLIENT_PASSPHRASE. Nothing was changed."
    )
  }

  /// The passphrase, from the environment or a person; nil where there is neither.
  func passphrase(variable: String, isNew: Bool) throws(StorageError) -> Secret? {
    do {
      return try PasswordInput.passphrase(
        variable: variable,
        prompt: isNew ? "New passphrase: " : "Passphrase: ",
        isNew: isNew,
        environment: environment,
        input: input
      )
    } catch {
      throw StorageError(.vaultLocked, error.message, advice: "Try again.")
    }
  }
}
