/// Why the store could not do what was asked.
///
/// The five answers of R14 are never folded into nil.
public struct StorageError: Error, Equatable, Sendable {
  /// What happened, for programs.
  public let code: Code
  /// What happened and to which file or entry, for people.
  ///
  /// Holds no secret and no value.
  public let message: String
  /// What to do about it, for people.
  public let advice: String
  /// Whether it is a vault that was reached and did not answer: not the same as one that is not
  /// there.
  private(set) var isSilence = false
  /// The vault that another process has moved the key to, where that is all that is wrong.
  private(set) var movedTo: VaultName?

  /// What happened, for programs.
  public enum Code: String, Sendable, CaseIterable {
    /// The vault is there but locked; all is kept, and comes back when it is unlocked.
    case vaultLocked
    /// The vault cannot be reached at all just now: no daemon, no device, no answer in time.
    case vaultUnavailable
    /// The key that was offered is not this store's: a wrong passphrase, another device.
    case wrongKey
    /// The key is gone for good; what was sealed with it cannot be opened any more.
    case keyLost
    /// The file's structure is broken, or a value that the manifest names is missing.
    case damaged
    /// A value fails its authentication.
    case tampered
    /// A newer version of this library wrote the store.
    case newerFormat
    /// The store's cipher needs a processor that this computer does not have.
    case cipherUnavailable
    /// A key name or value breaks a limit.
    case invalidInput
    /// The file system refused: permissions, a full disk, a symbolic link, a foreign owner.
    case io
    /// The store was used after `fork`, or after it was closed, or opened twice in a way that
    /// cannot be shared.
    case misuse
    /// The store was made with another vault than the one that was named.
    case otherVault
    /// Another process kept the store's lock for longer than the deadline; try again.
    case busy
  }

  /// An error from its parts.
  public init(_ code: Code, _ message: String, advice: String) {
    self.code = code
    self.message = message
    self.advice = advice
  }
}

extension StorageError {
  /// A vault that hangs.
  static func noAnswer(_ message: String, advice: String) -> StorageError {
    var error = StorageError(.vaultUnavailable, message, advice: advice)
    error.isSilence = true
    return error
  }

  /// Another process has moved the key while the store was open.
  static func moved(to vault: VaultName) -> StorageError {
    var error = StorageError(
      .otherVault,
      "Another process has moved the store's key to the vault \(vault)",
      advice: "Open the store again, with that vault. Nothing was changed."
    )
    error.movedTo = vault
    return error
  }
}

extension StorageError: CustomStringConvertible {
  /// Message and advice in one line.
  public var description: String { "\(message). \(advice)" }
}
