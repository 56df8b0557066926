internal import SessionModels
internal import Synchronization

/// A passphrase that a person is asked for once, however often a vault needs it.
final class AskedPassphrase: Sendable {
  private let given = Mutex<Secret?>(nil)

  /// The passphrase; nil where there is nobody to ask.
  func callAsFunction<Failure: Error>(
    _ ask: () throws(Failure) -> Secret?
  ) throws(Failure) -> Secret? {
    try given.withLock { given throws(Failure) in
      if given == nil { given = try ask() }
      return given
    }
  }
}
