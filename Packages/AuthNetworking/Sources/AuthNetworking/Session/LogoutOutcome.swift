public import SecureStorage

/// What came of a logout.
///
/// Locally it has always happened, unless the store could not be written.
public struct LogoutOutcome: Equatable, Sendable {
  /// Whether the server confirmed that the session is revoked there.
  public var revoked: Bool
  /// Why the stored session could not be removed; nil where it was.
  public var storageError: StorageError?

  /// An outcome from its parts.
  public init(revoked: Bool, storageError: StorageError? = nil) {
    self.revoked = revoked
    self.storageError = storageError
  }
}
