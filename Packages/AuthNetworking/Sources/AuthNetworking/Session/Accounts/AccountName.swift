/// What an install calls one of its accounts: fit for a file name, and no secret.
public struct AccountName: RawRepresentable, Hashable, Sendable, Comparable {
  /// The name: 1 to 64 of `a` to `z`, digits, `-` and `_`.
  public let rawValue: String

  /// A name from its text; nil for one that could be another file, or two on some file systems.
  public init?(rawValue: String) {
    let allowed = "abcdefghijklmnopqrstuvwxyz0123456789-_"
    guard (1...64).contains(rawValue.utf8.count), rawValue.allSatisfy(allowed.contains) else {
      return nil
    }
    self.rawValue = rawValue
  }

  private init(unchecked: String) { rawValue = unchecked }

  /// A name that no other account has.
  public static func random() -> AccountName {
    AccountName(unchecked: "account-" + String(UInt64.random(in: .min ... .max), radix: 36))
  }

  /// By the text.
  public static func < (left: AccountName, right: AccountName) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension AccountName: CustomStringConvertible {
  /// The name.
  public var description: String { rawValue }
}
