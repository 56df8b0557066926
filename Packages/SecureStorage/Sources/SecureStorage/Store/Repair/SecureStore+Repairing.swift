#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import Synchronization

extension SecureStore {
  /// Makes a damaged store readable again: keeps every value that can be proved to be the last
  /// one, the session included, and names the others.
  ///
  /// As ``repair(storeAt:options:now:choosingVault:)``.
  ///
  /// - Parameters:
  ///   - directory: The store's.
  ///   - options: The defaults are right outside tests.
  ///   - now: Gives the time in the copy's name.
  ///   - vault: Where the root key is.
  /// - Returns: What is readable, what is lost, and where the copy lies.
  /// - Throws: as ``repair(storeAt:options:now:choosingVault:)``.
  public static func repair(
    storeAt directory: String,
    options: StoreOptions = StoreOptions(),
    now: Date = Date(),
    vault: any KeyVault
  ) async throws(StorageError) -> StoreRepair {
    try await repair(storeAt: directory, options: options, now: now) { _ in vault }
  }

  /// Makes a damaged store readable again: keeps every value that can be proved to be the last
  /// one, the session included, and names the others.
  ///
  /// The rows are read from the bytes of the database and its log, by SQLite and without it. The
  /// damaged files are copied first, to `<directory>.aside-<time>`; a crash leaves the old database or
  /// the new one. A store that is sound is left as it is. Where commits are missing (the log was
  /// deleted), what is there is kept and the session is not, as its refresh token may have been
  /// spent (R2).
  ///
  /// - Parameters:
  ///   - directory: The store's. It may be open, in this and other processes.
  ///   - options: The defaults are right outside tests.
  ///   - now: Gives the time in the copy's name.
  ///   - vault: Gets the name of the vault that the store was made with, and returns it.
  /// - Returns: What is readable, what is lost, and where the copy lies.
  /// - Throws: `damaged` or `keyLost` where nothing can be proved any more, `tampered` where the
  ///   store is older than its vault's counter, `otherVault`, `wrongKey`, `vaultLocked`,
  ///   `vaultUnavailable`, `newerFormat`, `cipherUnavailable`, `io`, `busy`, `misuse`; nothing was
  ///   changed then.
  public static func repair(
    storeAt directory: String,
    options: StoreOptions = StoreOptions(),
    now: Date = Date(),
    choosingVault vault: @escaping @Sendable (VaultName) throws(StorageError) -> any KeyVault
  ) async throws(StorageError) -> StoreRepair {
    if let sound = try await soundStore(at: directory, options, vault) { return sound }
    let repaired = try await OpenStores.opening.run { () throws(StorageError) in
      try mend(StoreFiles(directory: directory).resolved(), options, now, vault)
    }
    // With its keys at hand the vault counts the new state, and an old copy is noticed. What is
    // lost must be told also where that fails; the next commit makes up for it.
    try? await settle(storeAt: directory, options, vault)
    return repaired
  }

  /// Counts the values of a store that needs no repair; nil for one that does.
  private static func soundStore(
    at directory: String,
    _ options: StoreOptions,
    _ vault: @escaping @Sendable (VaultName) throws(StorageError) -> any KeyVault
  ) async throws(StorageError) -> StoreRepair? {
    let files = StoreFiles(directory: directory)
    guard try POSIX.status(files.database) != nil else {
      throw .io("There is no database in \(directory)", advice: "There is nothing to repair.")
    }
    for path in [files.database, files.log] { try PrivateFiles.checkKind(path) }
    do throws(StorageError) {
      let wasOpen = openStore(at: directory) != nil
      let store = try await open(at: directory, options: options) { name throws(StorageError) in
        guard let name else { throw .damaged("\(directory) holds no store") }
        return try vault(name)
      }
      defer { if !wasOpen { store.close() } }
      let verification = try await store.verify()
      guard verification.damaged.isEmpty else { return nil }
      return StoreRepair(readable: verification.verified, lost: [], aside: nil)
    } catch {
      switch error.code {
      // A damaged header may forbid SQLite to write, or name another format. What else stands in
      // the way will do so again.
      case .damaged, .tampered, .keyLost, .io, .newerFormat: return nil
      default: throw error
      }
    }
  }

  private static func openStore(at directory: String) -> SecureStore? {
    guard let identity = try? StoreFiles(directory: directory).identity(),
      let store = OpenStores.store(identity), !store.isClosed
    else { return nil }
    return store
  }

  private static func mend(
    _ files: StoreFiles,
    _ options: StoreOptions,
    _ now: Date,
    _ choose: (VaultName) throws(StorageError) -> any KeyVault
  ) throws(StorageError) -> StoreRepair {
    let name = try OldFiles([files.database, files.log]).vaultName(files)
    let vault = try choose(name)
    guard vault.name == name else { throw .otherVault(name, wanted: vault.name) }
    let counter = try vault.counting.map { vault throws(StorageError) in
      try VaultCall.counter(of: vault)
    }
    let salvage = Salvage(files: files, deadline: options.lockDeadline)
    let mend = { () throws(StorageError) -> StoreRepair in
      let repaired = try VaultCall.open(with: vault) { root throws(StorageError) in
        try salvage.repair(now: now) { found, durable throws(StorageError) in
          let store = try RecoveredStore(
            found,
            root: root,
            vault: name,
            durable: durable,
            options: options
          )
          if let counter, let counter,
            RollbackCounter.opening(anchor: store.counter, counter: counter) == .rolledBack
          {
            throw .rolledBack
          }
          return store
        }
      }
      guard let repaired else { throw .noKey(in: name) }
      let store = repaired.store
      return StoreRepair(readable: store.readable, lost: store.lost, aside: repaired.aside)
    }
    guard let engine = openStore(at: files.directory)?.engine as? SQLiteEngine else {
      return try mend()
    }
    return try engine.withoutConnections(mend)
  }

  private static func settle(
    storeAt directory: String,
    _ options: StoreOptions,
    _ vault: @escaping @Sendable (VaultName) throws(StorageError) -> any KeyVault
  ) async throws(StorageError) {
    let wasOpen = openStore(at: directory) != nil
    let store = try await open(at: directory, options: options) { name throws(StorageError) in
      guard let name else { throw .damaged("\(directory) holds no store") }
      return try vault(name)
    }
    defer { if !wasOpen { store.close() } }
    guard store.cache.withLock({ $0.unlocked.vault.counting }) != nil else { return }
    try await store.writing.run { () throws(StorageError) in try store.anchorAnew() }
  }
}
