/// The name of a vault, as `--vault` takes it and as a store remembers it in plain.
public struct VaultName: RawRepresentable, Hashable, Sendable {
  /// The name.
  public let rawValue: String

  /// A vault by name.
  ///
  /// Names that this build lacks are kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A TPM 2.0, in this machine or beside it: `TPM2Vault`, with the trait `TPM2`.
  public static let tpm2 = VaultName(rawValue: "tpm2")
  /// The desktop's keyring: `SecretServiceVault`, with the trait `SecretService`.
  public static let secretService = VaultName(rawValue: "secret-service")
  /// Apple's keychain: ``KeychainVault``.
  public static let keychain = VaultName(rawValue: "keychain")
  /// A file beside the store: ``FileVault``.
  public static let file = VaultName(rawValue: "file")
  /// A passphrase: ``PassphraseVault``.
  public static let passphrase = VaultName(rawValue: "passphrase")
  /// The kernel's keyring, which a reboot empties: `KernelKeyringVault`, with the trait
  /// `KernelKeyring`.
  public static let kernelKeyring = VaultName(rawValue: "kernel-keyring")

  /// The vaults that this build has, best first.
  public static let available: [VaultName] = {
    var names: [VaultName] = []
    #if TPM2 && os(Linux)
    names.append(.tpm2)
    #endif
    #if SecretService && os(Linux)
    names.append(.secretService)
    #endif
    #if canImport(Security)
    names.append(.keychain)
    #endif
    names += [.file, .passphrase]
    #if KernelKeyring && os(Linux)
    names.append(.kernelKeyring)
    #endif
    return names
  }()

  /// The vaults of this build that a new store is offered where the user names none, best first.
  ///
  /// No passphrase, which somebody would have to choose, and not the kernel's keyring, which a
  /// reboot empties.
  public static let automatic: [VaultName] = available.filter {
    $0 != .passphrase && $0 != .kernelKeyring
  }
}

extension VaultName: CustomStringConvertible {
  /// The name.
  public var description: String { rawValue }
}
