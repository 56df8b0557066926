#if KernelKeyring && os(Linux)
import SecureStorage
import Testing

/// A key of its own in the kernel's keyring, removed when dropped.
final class KeyringAccount: Sendable {
  let name = "tests/\(UInt64.random(in: .min ... .max))/ü"

  deinit { try? vault().setRootKey(nil) }

  func vault(timeout: Duration? = nil) -> KernelKeyringVault {
    KernelKeyringVault(account: name, timeout: timeout)
  }

  /// Whether the kernel lets us have keys; containers may not, and then the vault must say so.
  func isAllowed() throws -> Bool {
    do throws(StorageError) {
      try vault().setRootKey(.random())
      try vault().setRootKey(nil)
      return true
    } catch {
      #expect(error.code == .vaultUnavailable)
      return false
    }
  }
}
#endif
