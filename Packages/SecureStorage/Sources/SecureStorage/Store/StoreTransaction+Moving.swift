/// The steps of a move, each in a turn of the writers' lock of its own.
extension StoreTransaction {
  /// What came of a move's main step.
  enum MoveStep {
    /// The store is in that vault already.
    case there
    /// Another process has cleared the announcement away.
    case unannounced
    /// The vault that the key was in.
    case moved(from: any KeyVault)
  }

  /// Writes down that a vault is about to get a key, for whoever finds the store after a crash.
  mutating func announceMove(to vault: any KeyVault) throws(StorageError) {
    guard vault.name != unlocked.vault.name else { return }
    try clearLeftovers([vault])
    var left = try leftovers()
    left.insert(vault.name)
    try put(left)
  }

  /// Gives a vault a fresh key, seals the keyring with it and, once that is durable, has the old
  /// vault forget its own.
  ///
  /// What the vault kept so far opens nothing of this store, and is never taken for its key.
  mutating func move(
    to vault: any KeyVault,
    _ root: RootKey,
    _ forgotten: SecureStore.Forgotten
  ) throws(StorageError) -> MoveStep {
    let old = unlocked.vault
    guard vault.name != old.name else { return .there }
    var left = try leftovers()
    guard left.names.contains(vault.name) else { return .unannounced }
    try writer.makeDurable()
    try VaultCall.setRootKey(nil, in: vault)
    try VaultCall.keep(root, in: vault, insteadOf: nil)
    left.remove(vault.name)
    left.insert(old.name)
    try put(left)
    try adoptRootKey(root, vault)
    writer.afterCommit { writer in
      do throws(StorageError) {
        try writer.makeDurable()
        try VaultCall.setRootKey(nil, in: old)
      } catch {
        forgotten.failed(error)
      }
    }
    return .moved(from: old)
  }

  /// Notes that a vault has forgotten a key that is not in use any more.
  mutating func settleLeftover(_ name: VaultName) throws(StorageError) {
    var left = try leftovers()
    guard left.names.contains(name) else { return }
    left.remove(name)
    try put(left)
    purge()
  }

  /// Has every vault but the one in use forget what moves have left in it, as far as they can be
  /// reached.
  mutating func clearLeftovers(_ known: [any KeyVault]) throws(StorageError) {
    guard try !writer.copies(.leftoverVaults).isEmpty else { return }
    var left = try leftovers()
    let before = left
    try writer.makeDurable()
    for name in before.names where name == unlocked.vault.name || forget(name, known) {
      left.remove(name)
    }
    guard left != before || left.names.isEmpty else { return }
    try put(left)
    purge()
  }

  private func forget(_ name: VaultName, _ known: [any KeyVault]) -> Bool {
    guard let vault = known.first(where: { $0.name == name }) ?? (try? unlocked.chooseVault(name)),
      vault.name == name
    else { return false }
    return (try? VaultCall.setRootKey(nil, in: vault)) != nil
  }

  private func leftovers() throws(StorageError) -> LeftoverVaults {
    // A damaged one tells nothing, and is replaced.
    guard case .sound(let left) = try writer.sound(.leftoverVaults, { LeftoverVaults(row: $0) })
    else { return LeftoverVaults() }
    return left
  }

  private mutating func put(_ left: LeftoverVaults) throws(StorageError) {
    if left.names.isEmpty {
      try writer.removeBoth(.leftoverVaults)
    } else {
      try writer.putTwice(.leftoverVaults, left.row)
    }
    changed.formUnion(StoreNamespace.allCases)
  }
}
