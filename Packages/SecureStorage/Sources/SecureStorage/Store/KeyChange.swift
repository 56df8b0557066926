/// Tells a key that does not fit from one that was changed while it was fetched.
///
/// The key lies in a vault and what it opens in the database, so that whoever reads one after the
/// other may get the old of one and the new of the other. Commits lie between the two then, and
/// the engine's stamp has moved: looking once more tells. No reader waits for a lock.
enum KeyChange {
  /// Each one needs another change of key in just that moment.
  private static let attempts = 8

  /// Runs `body` again where it may have fallen between a key and what the key opens.
  static func outlasting<Result>(
    on engine: any StorageEngine,
    _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    for _ in 1..<attempts {
      let stamp = engine.stamp
      do throws(StorageError) {
        return try body()
      } catch {
        guard error.mayBeKeyChange, engine.stamp != stamp else { throw error }
      }
    }
    return try body()
  }

  /// Runs a transaction again after `follow` has fetched the key from the vault that another
  /// process has moved it to: not in the transaction, where a vault that asks somebody would keep
  /// all other writers waiting.
  static func following<Result>(
    _ follow: () throws(StorageError) -> Void,
    _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    for _ in 1..<attempts {
      do throws(StorageError) {
        return try body()
      } catch {
        guard error.movedTo != nil else { throw error }
      }
      try follow()
    }
    return try body()
  }
}

extension StorageError {
  fileprivate var mayBeKeyChange: Bool {
    switch code {
    case .wrongKey, .keyLost, .otherVault: true
    default: false
    }
  }
}

extension StorageEngine {
  /// As ``read(_:)``, where `body` may ask a vault for its key.
  func readOutlastingKeyChanges<Result: Sendable>(
    _ body: (any StorageReader) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try KeyChange.outlasting(on: self) { () throws(StorageError) in try read(body) }
  }
}
