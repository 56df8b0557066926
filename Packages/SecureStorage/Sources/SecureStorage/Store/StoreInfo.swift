/// What can be said about a store without telling a secret.
public struct StoreInfo: Equatable, Sendable {
  /// The database file.
  public let path: String
  /// How many entries the namespace that was asked about has.
  public let entries: Int
  /// The bytes that database and log take up.
  public let bytes: Int
  /// The cipher that seals values.
  public let cipher: CipherName
  /// The id of the data key that seals now.
  public let keyID: UInt32
  /// The vault that keeps the root key.
  public let vault: VaultName
}
