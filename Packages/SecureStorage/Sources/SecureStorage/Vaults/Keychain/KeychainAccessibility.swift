/// When an item of a keychain may be read: `kSecAttrAccessible`.
///
/// All of them stay on the device: a backup that is restored on another one does not bring a
/// session with it (R15).
public enum KeychainAccessibility: Sendable, CaseIterable {
  /// From the first unlocking after a restart on: what refreshes in the background needs.
  case afterFirstUnlockThisDeviceOnly
  /// Only while the device is unlocked.
  case whenUnlockedThisDeviceOnly
  /// Only while the device is unlocked; it is removed for good when the passcode is.
  case whenPasscodeSetThisDeviceOnly
}
