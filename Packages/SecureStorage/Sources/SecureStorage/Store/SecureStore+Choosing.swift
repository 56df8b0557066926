internal import Synchronization

extension SecureStore {
  /// Opens the store in a directory with the vault that it was made with, or makes an empty one
  /// with the best vault that can be used.
  ///
  /// A store stays with its vault; only ``rekey(to:cipher:progress:)`` moves it. A note of the
  /// store says which one a new store got, and why a better one was passed over.
  ///
  /// - Parameters:
  ///   - directory: As in ``open(at:options:vault:)``.
  ///   - options: The defaults are right outside tests.
  ///   - vaults: The best first. For a new store the first that answers is taken: one that cannot
  ///     be reached is passed over, and one that is locked ends the choice.
  /// - Returns: The store.
  /// - Throws: as ``open(at:options:vault:)``; `otherVault` where the store was made with a vault
  ///   that is not among them, `vaultUnavailable` where none can be used.
  public static func open(
    at directory: String,
    options: StoreOptions = StoreOptions(),
    vaults: [any KeyVault]
  ) async throws(StorageError) -> SecureStore {
    try await open(at: directory, options: options) { recorded throws(StorageError) in
      guard let recorded else { return vaults }
      // Where it is not among them, opening says so.
      return vaults.filter { $0.name == recorded } + vaults.filter { $0.name != recorded }
    }
  }

  /// As ``open(at:options:vaults:)``, with vaults that are made once it is known which one the
  /// store was made with.
  ///
  /// - Parameters:
  ///   - directory: As in ``open(at:options:vault:)``.
  ///   - options: The defaults are right outside tests.
  ///   - vaults: Gets the name of the vault that the store was made with, and returns the one to
  ///     use as the first; or gets nil where there is no store yet, and returns those to choose
  ///     from. May be called more than once, and may throw.
  /// - Returns: The store.
  /// - Throws: as ``open(at:options:vaults:)``, and what `vaults` throws.
  public static func open(
    at directory: String,
    options: StoreOptions = StoreOptions(),
    choosingVaults vaults:
      @escaping @Sendable (VaultName?) throws(StorageError) -> [any KeyVault]
  ) async throws(StorageError) -> SecureStore {
    if try await vaultName(ofStoreAt: directory) != nil {
      return try await openExisting(directory, options, vaults)
    }
    let candidates = try vaults(nil)
    var choice = VaultChoice(candidates.map(\.name))
    while let index = choice.next {
      do throws(StorageError) {
        // Before anything is made: where no vault can be used, nothing is left behind.
        try await ask(candidates[index])
        return try await make(directory, options, candidates[index], choice.note, vaults)
      } catch {
        // Another process made the store meanwhile, with the vault of its own choice.
        if error.code == .otherVault {
          return try await openExisting(directory, options, vaults)
        }
        try choice.failed(error)
      }
    }
    throw choice.failure
  }

  /// Which vault a new store would get just now, without making anything.
  ///
  /// - Parameter vaults: The best first.
  /// - Returns: Its name, and those that would be passed over for it.
  /// - Throws: as ``open(at:options:vaults:)`` for a new store.
  public static func preferredVault(
    among vaults: [any KeyVault]
  ) async throws(StorageError) -> (vault: VaultName, passedOver: [PassedOverVault]) {
    var choice = VaultChoice(vaults.map(\.name))
    while let index = choice.next {
      do throws(StorageError) {
        try await ask(vaults[index])
        return (vaults[index].name, choice.passedOver)
      } catch {
        try choice.failed(error)
      }
    }
    throw choice.failure
  }

  /// The first of several vaults that holds a key, for telling why a store is not there (R15).
  ///
  /// - Parameter vaults: Whom to ask; one that cannot answer holds none.
  /// - Returns: Its name, or nil.
  public static func leftoverKey(in vaults: [any KeyVault]) async -> VaultName? {
    for vault in vaults {
      let isThere = try? await BlockingQueue(label: "store.vault").run {
        () throws(StorageError) in try VaultCall.rootKey(of: vault) != nil
      }
      if isThere == true { return vault.name }
    }
    return nil
  }

  private static func ask(_ vault: any KeyVault) async throws(StorageError) {
    try await BlockingQueue(label: "store.vault").run { () throws(StorageError) in
      _ = try VaultCall.rootKey(of: vault)
    }
  }

  private static func make(
    _ directory: String,
    _ options: StoreOptions,
    _ vault: any KeyVault,
    _ note: StoreNote?,
    _ vaults: @escaping @Sendable (VaultName?) throws(StorageError) -> [any KeyVault]
  ) async throws(StorageError) -> SecureStore {
    let isNew = Flag()
    let store = try await open(at: directory, options: options) { recorded throws(StorageError) in
      guard recorded != nil else {
        isNew.value.store(true, ordering: .relaxed)
        return vault
      }
      return try first(of: vaults(recorded))
    }
    if isNew.value.load(ordering: .relaxed), let note { store.add(note) }
    return store
  }

  private static func openExisting(
    _ directory: String,
    _ options: StoreOptions,
    _ vaults: @escaping @Sendable (VaultName?) throws(StorageError) -> [any KeyVault]
  ) async throws(StorageError) -> SecureStore {
    try await open(at: directory, options: options) { recorded throws(StorageError) in
      try first(of: vaults(recorded))
    }
  }

  private static func first(of vaults: [any KeyVault]) throws(StorageError) -> any KeyVault {
    guard let vault = vaults.first else { throw VaultChoice([]).failure }
    return vault
  }

  private final class Flag: Sendable {
    let value = Atomic(false)
  }
}
