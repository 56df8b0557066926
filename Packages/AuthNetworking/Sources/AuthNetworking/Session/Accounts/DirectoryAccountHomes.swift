internal import Dispatch
public import SecureStorage
internal import SessionModels
internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Accounts in a directory: each has a store, a key and a lock of its own, so that what happens to
/// one (a lost key, a full wipe, an import) happens to it alone.
///
/// `<directory>/<name>/store` and `<directory>/<name>/refresh.lock`; the choice is in
/// `<directory>/.active`, which holds a name and no secret.
public final class DirectoryAccountHomes: AccountHomes {
  /// Gives the vault of the account whose store lies in a directory.
  ///
  /// Each account's has to keep a key of its own (another file, item or label): removing an account
  /// makes its vault forget the key.
  public typealias VaultChoice = @Sendable (_ storeDirectory: String) -> any KeyVault

  private let directory: String
  private let vault: VaultChoice
  private let stores = Mutex<[AccountName: SecureStore]>([:])

  /// Accounts in a directory, which is made when the first of them is.
  ///
  /// - Parameters:
  ///   - directory: for this app alone.
  ///   - vault: where the key of each account's store is kept.
  public init(directory: String, vault: @escaping VaultChoice) {
    self.directory = directory
    self.vault = vault
  }

  /// Closes the stores that were opened.
  public func close() {
    let open = stores.withLock { stores in
      defer { stores = [:] }
      return Array(stores.values)
    }
    for store in open { store.close() }
  }

  /// The accounts whose stores there are, in the order of their names; needs no key.
  ///
  /// - Throws: `StorageError` of code `io` where the directory cannot be read.
  public func names() throws(StorageError) -> [AccountName] {
    guard FileManager.default.fileExists(atPath: directory) else { return [] }
    let found: [String]
    do { found = try FileManager.default.contentsOfDirectory(atPath: directory) } catch {
      throw failure("cannot be read", error)
    }
    var names: [AccountName] = []
    for name in found.compactMap(AccountName.init(rawValue:)).sorted()
    where try SecureStore.exists(at: storeDirectory(of: name)) {
      names.append(name)
    }
    return names
  }

  /// An account's home; its store is made where there is none, and opened once, or again where
  /// another process has removed the account since.
  ///
  /// - Throws: `StorageError`, as `SecureStore.open`.
  public func open(_ name: AccountName) async throws(StorageError) -> AccountHome {
    let path = storeDirectory(of: name)
    try makeDirectory(home(of: name))
    let store: SecureStore
    if let open = await openStore(of: name) {
      store = open
    } else {
      store = try await SecureStore.open(at: path, vault: vault(path))
      stores.withLock { $0[name] = store }
    }
    return AccountHome(
      storage: SecureSessionStorage(store: store),
      lock: FlockRefreshLock(path: home(of: name) + "/refresh.lock"),
      isInPlace: { await Self.isInPlace(store) }
    )
  }

  private func openStore(of name: AccountName) async -> SecureStore? {
    guard let open = stores.withLock({ $0[name] }) else { return nil }
    if await Self.isInPlace(open) { return open }
    stores.withLock { stores in
      if stores[name] === open { stores[name] = nil }
    }
    // Before the next one is opened, whose directory may have got the number of this one's.
    open.close()
    return nil
  }

  /// Whether a store's files are those in its directory, as only a writer is sure to learn.
  private static func isInPlace(_ store: SecureStore) async -> Bool {
    do throws(StorageError) {
      try await store.transaction { _ throws(StorageError) in }
      return true
    } catch {
      // Closed, or its lock was deleted or replaced. All else is no absence (R14).
      return error.code != .misuse
    }
  }

  /// Wipes an account's session, has its vault forget the key, and removes its store, the files
  /// beside it and its lock.
  ///
  /// The key goes from wherever the vault keeps it: a file, the Secret Service, the keychain, the
  /// kernel's keyring, a TPM (with what it counted there). A vault that is locked or not there keeps
  /// its key, which then opens nothing any more, and is used again by an account of this name.
  ///
  /// - Throws: `StorageError` of code `io` where its files cannot be removed.
  public func remove(_ name: AccountName) async throws(StorageError) {
    let path = storeDirectory(of: name)
    // Overwritten first: removed files live on in the disk's free blocks.
    let isThere = try SecureStore.exists(at: path)
    if isThere { try await SecureSessionStorage.wipe(storeAt: path, reason: .userRequested) }
    stores.withLock { $0.removeValue(forKey: name) }?.close()
    // Before the files: after them, it could be the key of an account that another process makes.
    if isThere { await Self.forgetKey(of: vault(path)) }
    guard FileManager.default.fileExists(atPath: home(of: name)) else { return }
    do { try FileManager.default.removeItem(atPath: home(of: name)) } catch {
      throw failure("cannot be removed from", error)
    }
  }

  /// The account that was chosen last; nil where none was, or it is gone.
  ///
  /// - Throws: `StorageError` of code `io` where the choice cannot be read.
  public func active() throws(StorageError) -> AccountName? {
    guard FileManager.default.fileExists(atPath: activeFile) else { return nil }
    guard let data = FileManager.default.contents(atPath: activeFile) else {
      throw StorageError(.io, "\(activeFile) cannot be read", advice: "Check its permissions.")
    }
    let text = String(decoding: data, as: UTF8.self)
    guard let name = AccountName(rawValue: text), try names().contains(name) else { return nil }
    return name
  }

  /// Writes the choice, as a whole or not at all.
  ///
  /// - Throws: `StorageError` of code `io`; the choice is the one before then.
  public func setActive(_ name: AccountName?) async throws(StorageError) {
    try makeDirectory(directory)
    do {
      try Data((name?.rawValue ?? "").utf8).write(
        to: URL(filePath: activeFile),
        options: .atomic
      )
    } catch { throw failure("cannot be written", error) }
  }

  /// Waits for no longer than the vault's patience; an account goes though its vault does not answer.
  private static func forgetKey(of vault: any KeyVault) async {
    let first = FirstResult<Void>()
    DispatchQueue.global().async {
      try? vault.setRootKey(nil)
      first.resolve(())
    }
    let timer = Task.detached {
      guard (try? await Task.sleep(for: vault.patience, clock: .continuous)) != nil else { return }
      first.resolve(())
    }
    await first.value
    timer.cancel()
  }

  private var activeFile: String { directory + "/.active" }

  private func home(of name: AccountName) -> String { directory + "/" + name.rawValue }

  private func storeDirectory(of name: AccountName) -> String { home(of: name) + "/store" }

  private func makeDirectory(_ path: String) throws(StorageError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    } catch { throw failure("cannot be made", error) }
  }

  private func failure(_ what: String, _ error: any Error) -> StorageError {
    StorageError(.io, "\(directory) \(what): \(error)", advice: "Check its permissions.")
  }
}
