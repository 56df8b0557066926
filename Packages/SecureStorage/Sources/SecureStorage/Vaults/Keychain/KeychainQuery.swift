/// What tells one item of a keychain from another.
///
/// Always a generic password of the data protection keychain, never synchronised to other
/// devices. When it may be read is no part of it: a query with that in it would not find an item
/// which was made with another accessibility, and adding it would still say that it is there.
public struct KeychainQuery: Hashable, Sendable {
  /// `kSecAttrService`.
  public var service: String
  /// `kSecAttrAccount`.
  public var account: String
  /// `kSecAttrAccessGroup`: the group of apps and extensions that share the item; nil for the
  /// app's own.
  public var accessGroup: String?

  /// A query from its parts.
  public init(service: String, account: String, accessGroup: String? = nil) {
    self.service = service
    self.account = account
    self.accessGroup = accessGroup
  }
}
