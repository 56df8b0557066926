internal import SecureStorage

/// Where the files of a profile lie.
struct ProfileDirectory: Sendable {
  /// The profile's directory.
  let path: String
  /// The encrypted store's own directory.
  let storeDirectory: String

  /// A profile's directory, with its store in the usual place or in another one.
  init(path: String, storeDirectory: String? = nil) {
    self.path = path
    self.storeDirectory = storeDirectory ?? FilePath.join(path, "store")
  }

  /// The store's database.
  var databaseFile: String { FilePath.join(storeDirectory, "store.db") }

  /// The key of a store with a file vault.
  var keyFile: String { FilePath.join(storeDirectory, "store.key") }

  /// The sealed key of a store with a passphrase vault.
  var passphraseFile: String { FilePath.join(storeDirectory, "store.passphrase") }

  /// The sealed key of a store with a TPM.
  var tpmFile: String { FilePath.join(storeDirectory, "store.tpm2") }

  /// What its key is called in a keyring: a copy of a home elsewhere does not find it (R15).
  var account: String { FilePath.canonical(path) }

  /// What is remembered beside the store; holds no secret.
  var settingsFile: String { FilePath.join(path, "settings.json") }

  /// What keeps writers of the settings apart.
  var settingsLockFile: String { FilePath.join(path, "settings.lock") }

  /// What keeps refreshes of several processes apart.
  var refreshLockFile: String { FilePath.join(path, "refresh.lock") }

  /// Whether there is a store, or was one whose database is gone; a vault's file is none.
  var hasStore: Bool {
    get throws(ClientError) {
      try withStorageErrors { () throws(StorageError) in
        try SecureStore.exists(at: storeDirectory)
      }
    }
  }
}
