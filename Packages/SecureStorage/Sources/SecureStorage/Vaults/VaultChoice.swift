/// Which of several vaults is to keep the key of a new store: the first one that answers.
///
/// A vault that cannot be reached is passed over. One that is locked, or that hangs, is not: it
/// would answer another time, and a store must not end up in a weaker vault because of the hour.
struct VaultChoice {
  private let names: [VaultName]
  private(set) var passedOver: [PassedOverVault] = []

  /// A choice among vaults, the best first.
  init(_ names: [VaultName]) { self.names = names }

  /// The index of the vault to ask; nil where none is left.
  var next: Int? { passedOver.count < names.count ? passedOver.count : nil }

  /// The vault that was asked has failed.
  ///
  /// - Throws: the failure, where it ends the choice.
  mutating func failed(_ error: StorageError) throws(StorageError) {
    guard error.code == .vaultUnavailable, let next else { throw error }
    guard !error.isSilence || names.count == 1 else {
      throw .noAnswer(
        error.message,
        advice:
          "See whether it is running and not stopped, and try again; or name the vault of the "
          + "new store yourself (`--vault \(names.last ?? names[next])`). Nothing was changed."
      )
    }
    passedOver.append(PassedOverVault(vault: names[next], reason: error.message))
    // Of a single one the caller knows that it asked for it.
    if names.count == 1 { throw error }
  }

  /// What the store says of the vault that was taken.
  var note: StoreNote? {
    guard let next, names.count > 1 else { return nil }
    return .choseVault(names[next], passedOver: passedOver)
  }

  /// Why there is none.
  var failure: StorageError {
    guard !names.isEmpty else {
      return .misuse("No vault was offered for the store", advice: "Name at least one.")
    }
    return StorageError(
      .vaultUnavailable,
      "None of the vaults can be used: \(passedOver.reasons)",
      advice: "Make one of them usable, or offer another one. Nothing was changed."
    )
  }
}
