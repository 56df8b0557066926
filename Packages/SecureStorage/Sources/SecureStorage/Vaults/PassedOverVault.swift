/// A vault that would have been better than the one that was chosen, and could not be used.
public struct PassedOverVault: Hashable, Sendable {
  /// Which one.
  public let vault: VaultName
  /// Why, for people.
  public let reason: String

  /// A refusal from its parts.
  public init(vault: VaultName, reason: String) {
    self.vault = vault
    self.reason = reason
  }
}

extension [PassedOverVault] {
  /// All of them in one line.
  var reasons: String { map { "\($0.vault): \($0.reason)" }.joined(separator: "; ") }
}
