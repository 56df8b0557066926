internal import SecureStorage
internal import SessionModels

/// Opens a profile's store with the vault that it was made with.
struct StoreOpening: Sendable {
  private var profile: ProfileDirectory
  private let wanted: VaultName?
  private let inherited: VaultName?
  private let automatic: [VaultName]
  private let environment: [String: String]
  private let input: any InputSource
  private let variable: String
  private let prompt: String
  private let keepUnlocked: Duration?
  private let asked = AskedPassphrase()

  /// An opening for a composition's profile and options.
  ///
  /// - Parameters:
  ///   - composition: whose profile it is.
  ///   - wanted: the vault that the store must have; nil takes the one that it has, and for a new
  ///     store the best that works.
  ///   - inherited: the vault of a store that was set aside, which one in its place gets where no
  ///     other is wanted.
  init(_ composition: Composition, wanted: VaultName?, inherited: VaultName? = nil) {
    profile = composition.profile
    self.wanted = wanted
    self.inherited = inherited
    automatic = composition.parts.automaticVaults
    keepUnlocked = composition.settings.keepUnlocked
    environment = composition.environment
    input = composition.input
    variable = "HEADLESS_CLIENT_PASSPHRASE"
    prompt = "Passphrase: "
  }

  /// An opening for a store that is to be imported; its passphrase is its own.
  init(_ composition: Composition, importing profile: ProfileDirectory) {
    self.profile = profile
    wanted = nil
    inherited = nil
    automatic = []
    keepUnlocked = nil
    environment = composition.environment
    input = composition.input
    variable = "HEADLESS_CLIENT_FROM_PASSPHRASE"
    prompt = "Passphrase of the store to import: "
  }

  /// Opens it, or makes it.
  ///
  /// - Throws: a passphrase that nobody can be asked for is a locked vault.
  func open() async throws(StorageError) -> SecureStore {
    try await SecureStore.open(
      at: profile.storeDirectory,
      choosingVaults: {
        recorded throws(StorageError) in
        guard let recorded else { return try candidates() }
        return [try vault(ofStoreWith: recorded)]
      }
    )
  }

  /// Puts an empty store in the place of the one that is there.
  ///
  /// - Returns: where the old one lies, and what the new one has to tell.
  /// - Throws: as ``open()``; the store is as it was then.
  func replace() async throws(StorageError) -> (aside: String, notes: [StoreNote]) {
    try await SecureStore.replace(storeAt: profile.storeDirectory) {
      directory throws(StorageError) in
      var making = self
      making.profile = ProfileDirectory(path: profile.path, storeDirectory: directory)
      return try making.candidates()
    }
  }

  /// The vault of a store that is there.
  ///
  /// - Parameter recorded: the one that it was made with.
  /// - Returns: the vault.
  /// - Throws: `otherVault` where another one is wanted, and as ``vault(_:isNew:)``.
  func vault(ofStoreWith recorded: VaultName) throws(StorageError) -> any KeyVault {
    guard wanted == nil || wanted == recorded else {
      throw StorageError(
        .otherVault,
        "The store's key is in the vault \(recorded), not in \(wanted ?? recorded)",
        advice: "Leave the vault out, or move the key with `store rekey --vault "
          + "\(wanted ?? recorded)`."
      )
    }
    return try vault(recorded, isNew: false)
  }

  /// Sees whether a store could be made, without making anything.
  ///
  /// - Returns: the name of the vault that it would get.
  /// - Throws: as ``open()``.
  func rehearse() async throws(StorageError) -> VaultName {
    try await SecureStore.preferredVault(among: candidates()).vault
  }

  /// The best vault that works just now, as a new store would get it, whatever this one has.
  ///
  /// - Returns: its name, and those that were passed over for it.
  /// - Throws: as ``open()``.
  func best() async throws(StorageError) -> (vault: VaultName, passedOver: [PassedOverVault]) {
    let vaults = automatic.compactMap { try? vault($0, isNew: true) }
    return try await SecureStore.preferredVault(among: vaults)
  }

  /// The vault that holds a key although there is no store.
  func leftoverKey() async -> VaultName? {
    // Its key would have to be opened to be seen; its file is enough.
    if (try? PrivateFiles.exists(profile.passphraseFile)) == true { return .passphrase }
    guard wanted != .passphrase, let vaults = try? candidates() else { return nil }
    return await SecureStore.leftoverKey(in: vaults)
  }

  /// The vaults that a new store may get, best first.
  private func candidates() throws(StorageError) -> [any KeyVault] {
    if let name = wanted ?? inherited { return [try vault(name, isNew: true)] }
    return automatic.compactMap { try? vault($0, isNew: true) }
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
      let vault = PassphraseVault(path: profile.passphraseFile) { () throws(StorageError) in
        try isNew ? newPassphrase() : presentPassphrase()
      }
      return remembering(vault)
    #if TPM2 && os(Linux)
    case .tpm2: return TPM2Vault(path: profile.tpmFile, tcti: TPM2Vault.tcti(in: environment))
    #endif
    #if KernelKeyring && os(Linux)
    case .kernelKeyring: return KernelKeyringVault(account: profile.account)
    #endif
    #if SecretService && os(Linux)
    case .secretService:
      let bus = environment["DBUS_SESSION_BUS_ADDRESS"]
      return SecretServiceVault(account: profile.account, busAddress: bus)
    #endif
    #if canImport(Security)
    case .keychain:
      return KeychainVault(service: "headless-client", account: profile.account)
    #endif
    default:
      throw StorageError(
        .vaultUnavailable,
        "This build does not have the vault \(name)",
        advice: "Use a build that has it: it is a trait of the package. Nothing was changed."
      )
    }
  }

  /// The passphrase vault, asking again only when the time of `--keep-unlocked` is over.
  private func remembering(_ vault: PassphraseVault) -> any KeyVault {
    #if KernelKeyring && os(Linux)
    if let keepUnlocked {
      return CachingVault(vault, cache: rememberedKey(keepUnlocked))
    }
    #endif
    return vault
  }

  /// Drops the key that `--keep-unlocked` remembers, if it does.
  func lock() {
    #if KernelKeyring && os(Linux)
    // A key that cannot be reached cannot be dropped, and nobody else is served it either.
    try? rememberedKey(nil).setRootKey(nil)
    #endif
  }

  #if KernelKeyring && os(Linux)
  private func rememberedKey(_ time: Duration?) -> KernelKeyringVault {
    KernelKeyringVault(account: "unlocked:\(profile.account)", timeout: time)
  }
  #endif

  /// The passphrase of the store as it is, asked for once.
  func presentPassphrase() throws(StorageError) -> Secret {
    let given = try asked { () throws(StorageError) in
      try passphrase(variable: variable, isNew: false)
    }
    guard let given else { throw noPassphrase }
    return given
  }

  private func newPassphrase() throws(StorageError) -> Secret {
    let given = try asked { () throws(StorageError) in
      try passphrase(variable: variable, isNew: true)
    }
    guard let given else { throw noPassphrase }
    return given
  }

  private var noPassphrase: StorageError {
    StorageError(
      .vaultLocked,
      "The store is locked by a passphrase, and there is no terminal to ask for it at",
      advice: "Give it at a terminal, or in \(variable). Nothing was changed."
    )
  }

  private func passphrase(variable: String, isNew: Bool) throws(StorageError) -> Secret? {
    do {
      return try given(in: variable, isNew: isNew)
    } catch {
      throw StorageError(.vaultLocked, error.message, advice: "Try again.")
    }
  }

  /// The passphrase, from the environment or a person; nil where there is neither.
  private func given(in variable: String, isNew: Bool) throws(ClientError) -> Secret? {
    try PasswordInput.passphrase(
      variable: variable,
      prompt: isNew ? "New passphrase: " : prompt,
      isNew: isNew,
      environment: environment,
      input: input
    )
  }
}

// MARK: New passphrases

extension StoreOpening {
  /// Asks for the passphrase of a store that is to be made, where it gets one, before anything is
  /// begun.
  ///
  /// - Throws: ``ClientError``: `usage` where there is nobody to ask, `invalidInput` where the two
  ///   that were typed differ.
  func chooseNewPassphrase() throws(ClientError) {
    guard wanted ?? inherited == .passphrase else { return }
    try askForNewPassphrase()
  }

  /// Asks for the passphrase that a key moves to, before anything is begun.
  ///
  /// - Throws: as ``chooseNewPassphrase()``.
  func askForNewPassphrase() throws(ClientError) {
    let chosen = try asked { () throws(ClientError) in try given(in: variable, isNew: true) }
    guard chosen != nil else { throw StoreOpening.missing(variable) }
  }

  /// The passphrase that replaces the present one.
  ///
  /// - Throws: as ``chooseNewPassphrase()``.
  func replacingPassphrase() throws(ClientError) -> Secret {
    let variable = "HEADLESS_CLIENT_NEW_PASSPHRASE"
    guard let chosen = try given(in: variable, isNew: true) else {
      throw StoreOpening.missing(variable)
    }
    return chosen
  }

  private static func missing(_ variable: String) -> ClientError {
    PasswordInput.missing("the new passphrase", "or in \(variable)")
  }
}
