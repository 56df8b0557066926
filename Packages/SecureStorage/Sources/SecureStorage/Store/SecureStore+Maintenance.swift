#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

extension SecureStore {
  /// What can be said about the store without telling a secret.
  ///
  /// - Parameter namespace: Whose entries to count.
  /// - Returns: Path, counts, cipher, key id and vault.
  /// - Throws: ``StorageError``.
  public func info(
    countingEntriesOf namespace: StoreNamespace = .user
  ) throws(StorageError) -> StoreInfo {
    let entries = try count(in: namespace)
    let unlocked = cache.withLock { $0.unlocked }
    return StoreInfo(
      path: engine.location,
      entries: entries,
      bytes: engine.size(),
      cipher: unlocked.sealer.cipher.name,
      keyID: unlocked.sealer.keyring.activeID,
      vault: unlocked.vault.name
    )
  }

  /// The name of the vault that keeps the root key.
  public var vaultName: VaultName { cache.withLock { $0.unlocked.vault.name } }

  /// The vault that a store was made with, without opening it; nil where there is no store.
  ///
  /// - Parameter directory: The store's.
  /// - Returns: The name, which may be one that this build does not have.
  /// - Throws: `damaged`, `newerFormat`, `io`.
  public static func vaultName(
    ofStoreAt directory: String
  ) async throws(StorageError) -> VaultName? {
    try await OpenStores.opening.run { () throws(StorageError) in
      let files = StoreFiles(directory: directory)
      guard try POSIX.status(files.directory) != nil, try POSIX.status(files.database) != nil
      else { return nil }
      if let store = OpenStores.store(try files.identity()), !store.isClosed {
        return store.vaultName
      }
      let engine: any StorageEngine =
        try ReadOnlyEngine.isNeeded(for: directory)
        ? ReadOnlyEngine(directory: directory)
        : SQLiteEngine(directory: files.directory, lockDeadline: .seconds(10))
      defer { engine.close() }
      return try engine.read { reader throws(StorageError) in try recordedVault(reader) }
    }
  }

  /// Puts back a store that was set aside, where no other could be made in its place.
  ///
  /// - Parameters:
  ///   - aside: Where it lies.
  ///   - directory: Where it was; what a failed making left there is removed.
  /// - Throws: `io`; `misuse` where a store was made there by now.
  public static func putBack(
    _ aside: String,
    at directory: String
  ) async throws(StorageError) {
    try await OpenStores.opening.run { () throws(StorageError) in
      let files = StoreFiles(directory: directory)
      guard try isEmpty(files) else {
        throw .misuse("There is a store in \(directory) by now", advice: "Nothing was changed.")
      }
      for file in [
        files.database, files.log, files.sharedMemory, files.generation, files.lock,
      ] { unlink(file) }
      guard rmdir(files.directory) == 0 || errno == ENOENT else {
        throw POSIX.failure("cannot remove", files.directory)
      }
      guard rename(aside, files.directory) == 0 else {
        throw POSIX.failure("cannot put back", aside)
      }
      // On a full disk it could not be given a word of its own. Zero is in order with any database.
      let generations = try GenerationFile(path: files.generation)
      if generations.stamp == GenerationFile.retired { generations.set(0) }
    }
  }

  /// Whether a making that failed has left at most a database with nothing in it.
  private static func isEmpty(_ files: StoreFiles) throws(StorageError) -> Bool {
    guard try POSIX.status(files.database) != nil else { return true }
    do throws(StorageError) {
      let engine = try SQLiteEngine(directory: files.directory, lockDeadline: .seconds(10))
      defer { engine.close() }
      return try engine.read { reader throws(StorageError) in !reader.isInitialised }
    } catch {
      // What cannot be read may be a store.
      guard error.code == .damaged || error.code == .newerFormat else { throw error }
      return false
    }
  }

  /// The stores and copies that lie aside of a store: those that were set aside, what a repair kept,
  /// and what a process left that was killed while it made one to take the store's place.
  ///
  /// - Parameter directory: The store's.
  /// - Returns: Their paths, the oldest first; none where that cannot be looked at.
  public static func storesAside(of directory: String) -> [String] {
    SetAside.found(besides: StoreFiles(directory: directory).directory)
  }

  /// Moves a store out of the way, as it is, so that an empty one can be made in its place.
  ///
  /// The whole directory is renamed to `<directory>.aside-<time>`, its vault's file with it where
  /// that lies there; nothing is deleted, and where the rename fails nothing has changed. It
  /// needs no key and does not look into the database. A store that is open, in this or another
  /// process, throws `misuse` from then on.
  ///
  /// - Parameters:
  ///   - directory: The store's.
  ///   - now: Gives the time in the name.
  /// - Returns: The new path of the directory.
  /// - Throws: `io`, `busy`.
  public static func setAside(
    storeAt directory: String,
    now: Date = Date()
  ) async throws(StorageError) -> String {
    try await OpenStores.opening.run { () throws(StorageError) in
      let files = StoreFiles(directory: directory)
      guard try POSIX.status(files.directory) != nil else {
        throw .io("There is no store in \(directory)", advice: "Nothing was changed.")
      }
      let identity = try files.identity()
      let target = try SetAside.perform(files, now: now)
      OpenStores.store(identity)?.close()
      OpenStores.remove(identity)
      return target
    }
  }
}
