extension StorageError {
  static func damaged(_ message: String) -> StorageError {
    StorageError(
      .damaged,
      message,
      advice: "`store repair` keeps all that can still be read and names the rest; `store reset` "
        + "sets the store aside and starts an empty one."
    )
  }

  static func beyondRepair(_ why: String) -> StorageError {
    StorageError(
      .damaged,
      "The store is damaged beyond repair: \(why)",
      advice: "`store reset` sets it aside and starts an empty one. Nothing was changed."
    )
  }

  static func tampered(_ message: String) -> StorageError {
    StorageError(
      .tampered,
      message,
      advice: "It was changed from outside, or the disk is bad. `store verify` names every such "
        + "entry; setting or removing an entry anew replaces it."
    )
  }

  /// Somebody removed it from outside: what was in it is gone for good (R15).
  static func databaseGone(_ path: String) -> StorageError {
    StorageError(
      .tampered,
      "The store's database \(path) was removed, though it was written to",
      advice: "Put it back; else `store reset` sets what is left aside and starts an empty one."
    )
  }

  static func keyLost(_ message: String) -> StorageError {
    StorageError(
      .keyLost,
      message,
      advice: "What was sealed with the key cannot be opened any more. `store reset` sets the "
        + "store aside and starts an empty one."
    )
  }

  static func noKey(in vault: VaultName) -> StorageError {
    let why =
      switch vault {
      case .kernelKeyring:
        "; a reboot empties it, and a store that was moved or copied is put back where it was"
      case .secretService, .keychain:
        ", or not under this account: a store that was moved or copied is put back where it was"
      default: ""
      }
    return .keyLost("The vault \(vault) no longer has the key of the store\(why)")
  }

  static func wrongKey(_ message: String, advice: String) -> StorageError {
    StorageError(.wrongKey, message, advice: advice)
  }

  static func invalidInput(_ message: String, advice: String) -> StorageError {
    StorageError(.invalidInput, message, advice: advice)
  }

  static func io(_ message: String, advice: String) -> StorageError {
    StorageError(.io, message, advice: advice)
  }

  static func misuse(_ message: String, advice: String) -> StorageError {
    StorageError(.misuse, message, advice: advice)
  }

  static func newerFormat(_ message: String) -> StorageError {
    StorageError(
      .newerFormat,
      message,
      advice: "Open it with the version that wrote it, or a later one. Nothing was changed."
    )
  }

  /// The header's number alone says so, which nothing protects from damage.
  static func newerHeader(_ message: String) -> StorageError {
    StorageError(
      .newerFormat,
      message,
      advice:
        "Open it with the version that wrote it, or a later one; where none did, the number is "
        + "damaged, and `store repair` mends it. Nothing was changed."
    )
  }

  static func otherVault(_ recorded: VaultName, wanted: VaultName) -> StorageError {
    StorageError(
      .otherVault,
      "The store's key is in the vault \(recorded), not in \(wanted)",
      advice: "Leave the vault out, or move the key with `store rekey --vault \(wanted)`."
    )
  }
}
