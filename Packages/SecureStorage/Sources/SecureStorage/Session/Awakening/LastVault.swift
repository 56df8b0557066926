internal import Synchronization

/// The vault that a store was last opened with, or was meant to be.
final class LastVault: Sendable {
  private let vault = Mutex<(any KeyVault)?>(nil)

  var value: (any KeyVault)? {
    get { vault.withLock { $0 } }
    set { vault.withLock { $0 = newValue } }
  }
}
