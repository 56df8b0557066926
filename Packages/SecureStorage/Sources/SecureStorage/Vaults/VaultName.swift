/// The name of a vault, as `--vault` takes it and as a store remembers it in plain.
public struct VaultName: RawRepresentable, Hashable, Sendable {
  /// The name.
  public let rawValue: String

  /// A vault by name.
  ///
  /// Names that this build lacks are kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A file beside the store: ``FileVault``.
  public static let file = VaultName(rawValue: "file")
  /// A passphrase: ``PassphraseVault``.
  public static let passphrase = VaultName(rawValue: "passphrase")

  /// The vaults that this build has, best first.
  public static let available: [VaultName] = [.file, .passphrase]
}

extension VaultName: CustomStringConvertible {
  /// The name.
  public var description: String { rawValue }
}
