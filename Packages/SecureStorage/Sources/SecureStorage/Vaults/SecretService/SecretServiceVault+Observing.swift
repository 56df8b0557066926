#if SecretService && os(Linux)
extension SecretServiceVault: UnlockTellingVault {
  /// Calls `changed` when a keyring was unlocked or changed, and when the daemon came or went.
  ///
  /// GNOME Keyring tells of what its prompt unlocked, and says nothing when logging in did.
  ///
  /// - Parameter changed: Called on a thread of the vault's; must not block.
  /// - Returns: Ends the calls when it is dropped; nil where there is no bus.
  public func observeUnlocking(
    _ changed: @escaping @Sendable () -> Void
  ) -> VaultObservation? {
    UnlockingListener.start(busAddress, patience: patience, changed)
  }
}
#endif
