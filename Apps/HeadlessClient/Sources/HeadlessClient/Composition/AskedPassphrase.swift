internal import SecureStorage
internal import SessionModels
internal import Synchronization

/// A passphrase that a person is asked for once, however often a vault needs it.
final class AskedPassphrase: Sendable {
  private let given = Mutex<Secret?>(nil)

  /// The passphrase; nil where there is nobody to ask.
  func callAsFunction(
    _ ask: () throws(StorageError) -> Secret?
  ) throws(StorageError) -> Secret? {
    try given.withLock { given throws(StorageError) in
      if given == nil { given = try ask() }
      return given
    }
  }
}
