/// A vault that can tell when asking it again is worth while: it was unlocked, or it came back.
///
/// A locked vault that cannot tell is asked again now and then.
public protocol UnlockTellingVault: KeyVault {
  /// Calls `changed` after each unlocking, and after the vault's daemon or device appeared.
  ///
  /// Calls too many are harmless. What happened before is not told.
  ///
  /// - Parameter changed: Called on a thread of the vault's; must not block.
  /// - Returns: Ends the calls when it is dropped; nil where the vault cannot tell just now.
  func observeUnlocking(_ changed: @escaping @Sendable () -> Void) -> VaultObservation?
}

/// Keeps an observation of a vault going for as long as it lives.
public final class VaultObservation: Sendable {
  private let end: @Sendable () -> Void

  /// An observation that ends by a call of `end`.
  public init(onEnd end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}
