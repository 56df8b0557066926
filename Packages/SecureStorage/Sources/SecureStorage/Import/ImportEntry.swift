/// The name of an entry that is imported.
public struct ImportEntry: Sendable {
  /// The key.
  public let key: String
  /// Where it stood, and where it goes.
  public let namespace: StoreNamespace

  /// A name from its parts.
  public init(key: String, namespace: StoreNamespace = .user) {
    self.key = key
    self.namespace = namespace
  }
}
