/// Something that opening a store mended or noticed, for the app to tell people.
public enum StoreNote: Hashable, Sendable {
  /// A directory or file could be read by others, and no longer can.
  case tightenedPermissions(path: String)
  /// A directory or file can be read by others, and is on a read-only disk.
  case readableByOthers(path: String)
  /// Nothing can be written to the store's directory: what is there is only read.
  case readOnly(path: String)
  /// The vault already held a key although there was no store: a second install, a restored
  /// backup, or a store that somebody deleted (R15).
  case leftoverKey(VaultName)
  /// The key of a new store is in this vault, the best that could be used.
  case choseVault(VaultName, passedOver: [PassedOverVault])
  /// The vault's counter was deleted or set back; an old copy could not be told from the store,
  /// which counts anew from here.
  case counterLost(VaultName)
  /// The key of a new store is in this vault, which a reboot empties.
  case emptiedByReboot(VaultName)
}

extension StoreNote: CustomStringConvertible {
  /// The note as a sentence.
  public var description: String {
    switch self {
    case .tightenedPermissions(let path):
      "\(path) could be read by other users; its permissions were tightened"
    case .readableByOthers(let path):
      "\(path) can be read by other users, and that cannot be changed on a read-only disk"
    case .readOnly(let path): "\(path) is read-only: the store is read, and nothing can be changed"
    case .leftoverKey(let vault):
      "The vault \(vault) held a key but there was no store for it; an empty store was made"
    case .choseVault(let vault, let others):
      "The key of the new store is in the vault \(vault)"
        + (others.isEmpty ? "" : "; passed over: \(others.reasons)")
    case .counterLost(let vault):
      "The vault \(vault) had lost its counter: whether the store is an old copy cannot be said; "
        + "it counts anew"
    case .emptiedByReboot(let vault):
      "A reboot empties the vault \(vault), and nothing opens the store then"
    }
  }
}
