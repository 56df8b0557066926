/// An `OSStatus` of Apple's keychain, with Apple's values.
public struct KeychainStatus: RawRepresentable, Error, Hashable, Sendable {
  /// The number.
  public let rawValue: Int32

  /// A status by its number; those that have no name here are kept.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// `errSecUserCanceled`.
  public static let userCanceled = KeychainStatus(rawValue: -128)
  /// `errSecDiskFull`.
  public static let diskFull = KeychainStatus(rawValue: -34)
  /// `errSecIO`.
  public static let inputOutput = KeychainStatus(rawValue: -36)
  /// `errSecParam`.
  public static let parameter = KeychainStatus(rawValue: -50)
  /// `errSecNotAvailable`: no keychain at all.
  public static let notAvailable = KeychainStatus(rawValue: -25291)
  /// `errSecAuthFailed`.
  public static let authenticationFailed = KeychainStatus(rawValue: -25293)
  /// `errSecDuplicateItem`.
  public static let duplicateItem = KeychainStatus(rawValue: -25299)
  /// `errSecItemNotFound`.
  public static let itemNotFound = KeychainStatus(rawValue: -25300)
  /// `errSecInteractionNotAllowed`: the device is locked.
  public static let interactionNotAllowed = KeychainStatus(rawValue: -25308)
  /// `errSecInteractionRequired`.
  public static let interactionRequired = KeychainStatus(rawValue: -25315)
  /// `errSecDecode`: the item was sealed on another device, or is damaged.
  public static let decode = KeychainStatus(rawValue: -26275)
  /// `errSecMissingEntitlement`: the app is not signed for the access group.
  public static let missingEntitlement = KeychainStatus(rawValue: -34018)
}

extension KeychainStatus: CustomStringConvertible {
  /// The number.
  public var description: String { "\(rawValue)" }
}

extension KeychainStatus {
  /// What a failed call means for the key; `what` says what was tried.
  ///
  /// Only what says for certain that the item cannot be opened any more is a lost key: all else
  /// may come back, and nothing is given up for it (R14).
  func error(_ what: String) -> StorageError {
    let message = "The keychain cannot \(what) the key of the store (status \(self))"
    return switch self {
    case .interactionNotAllowed, .interactionRequired:
      StorageError(
        .vaultLocked,
        message + ": the device is locked",
        advice: "Unlock the device; after a restart once is enough. Nothing was changed."
      )
    case .authenticationFailed, .userCanceled:
      StorageError(
        .vaultLocked,
        message + ": nobody has shown who they are",
        advice: "Try again and confirm. Nothing was changed."
      )
    case .missingEntitlement:
      StorageError(
        .vaultUnavailable,
        message + ": the app may not use this access group",
        advice: "Sign the app with the entitlement keychain-access-groups that names the group. "
          + "Nothing was changed."
      )
    case .notAvailable:
      StorageError(
        .vaultUnavailable,
        message + ": there is none for this user",
        advice: "Run it in the session of a user who has signed in. Nothing was changed."
      )
    case .decode:
      .keyLost(message + ": it was sealed on another device, or is damaged")
    case .diskFull, .inputOutput:
      .io(message, advice: "Make room on the disk and try again. Nothing was changed.")
    default:
      StorageError(
        .vaultUnavailable,
        message,
        advice: "`security error \(self)` says what it means. Nothing was changed."
      )
    }
  }
}
