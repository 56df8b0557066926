#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension SecureStore {
  /// Sets a store aside and puts an empty one in its place.
  ///
  /// The empty one is made first, beside the store, its key included; then the two directories change
  /// places. So whatever fails, and wherever the process is killed, there is the old store or the new
  /// one, and never none, in whose place the next open would make one with another vault. A store that
  /// is open, in this or another process, throws `misuse` from then on.
  ///
  /// - Parameters:
  ///   - directory: The store's.
  ///   - options: The new store's.
  ///   - now: Gives the time in the name of the old one.
  ///   - vaults: Gets the directory in which the new store is made, for a vault whose file lies there,
  ///     and returns the vaults to choose from, the best first.
  /// - Returns: The path of the old store, as ``setAside(storeAt:now:)`` gives it, and what the new one
  ///   has to tell.
  /// - Throws: ``StorageError``: `vaultLocked`, `vaultUnavailable`, `io`, `busy`,
  ///   `cipherUnavailable` and what `vaults` throws; the store is as it was then.
  public static func replace(
    storeAt directory: String,
    options: StoreOptions = StoreOptions(),
    now: Date = Date(),
    choosingVaults vaults:
      @escaping @Sendable (_ directory: String) throws(StorageError) -> [any KeyVault]
  ) async throws(StorageError) -> (aside: String, notes: [StoreNote]) {
    let files = StoreFiles(directory: directory)
    let fresh = try await OpenStores.opening.run { () throws(StorageError) in
      guard try POSIX.status(files.directory) != nil else {
        throw .io("There is no store in \(directory)", advice: "Nothing was changed.")
      }
      return try SetAside.claimName(files.directory, now: now)
    }
    do throws(StorageError) {
      let store = try await open(at: fresh, options: options) { _ throws(StorageError) in
        try vaults(fresh)
      }
      store.close()
      try await OpenStores.opening.run { () throws(StorageError) in
        let identity = try files.identity()
        try SetAside.exchange(files, with: fresh)
        OpenStores.store(identity)?.close()
        OpenStores.remove(identity)
      }
      // The key of the store that is set aside was there before; that is no news.
      return (fresh, store.notes.filter { if case .leftoverKey = $0 { false } else { true } })
    } catch {
      // What cannot be removed now is empty, and lies aside as what was set aside does.
      try? await OpenStores.opening.run { () throws(StorageError) in
        _ = try? FileManager.default.removeItem(atPath: fresh)
      }
      throw error
    }
  }
}
