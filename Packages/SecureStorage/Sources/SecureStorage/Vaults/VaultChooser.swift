/// Gives the vault of a name that a store has on record, or one for a new store where that is nil.
typealias VaultChooser = @Sendable (VaultName?) throws(StorageError) -> any KeyVault
