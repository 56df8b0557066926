import SecureStorage
import Synchronization

/// A vault that lets a test step in before and after each of its calls.
struct GatedVault: KeyVault {
  let inner: any KeyVault
  let gate: Gate

  var name: VaultName { inner.name }

  func rootKey() throws(StorageError) -> RootKey? {
    gate.pass()
    defer { gate.pass() }
    return try inner.rootKey()
  }

  func setRootKey(_ key: RootKey?) throws(StorageError) {
    gate.pass()
    defer { gate.pass() }
    try inner.setRootKey(key)
  }

  /// Counts who passes, and does something when a certain one does.
  final class Gate: Sendable {
    private let passed = Atomic(0)
    private let number: Int
    private let action: @Sendable () -> Void

    /// Does it when the gate is passed for the time of that number, counting from 1.
    init(at number: Int, _ action: @escaping @Sendable () -> Void) {
      self.number = number
      self.action = action
    }

    var wasReached: Bool { passed.load(ordering: .acquiring) >= number }

    func pass() {
      if passed.add(1, ordering: .acquiringAndReleasing).newValue == number { action() }
    }
  }
}
