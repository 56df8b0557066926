/// Apple's keychain, as the four functions that a vault needs of it.
///
/// `SystemKeychain` calls the real one; the testing product has a double with its rules. All four
/// may block. Each throws the status where it is not `errSecSuccess`.
public protocol Keychain: Sendable {
  /// `SecItemAdd`: makes an item.
  ///
  /// - Parameters:
  ///   - query: Which one; without an access group it goes into the app's first one.
  ///   - accessibility: When it may be read.
  ///   - data: What it holds.
  /// - Throws: ``KeychainStatus/duplicateItem`` where there is one already, and other statuses.
  func add(
    _ query: KeychainQuery,
    accessibility: KeychainAccessibility,
    data: [UInt8]
  ) throws(KeychainStatus)

  /// `SecItemCopyMatching`: what an item holds.
  ///
  /// - Parameter query: Which one; without an access group the first of any of the app's groups.
  /// - Returns: A copy, which the caller wipes.
  /// - Throws: ``KeychainStatus/itemNotFound`` where there is none, and other statuses.
  func copyMatching(_ query: KeychainQuery) throws(KeychainStatus) -> [UInt8]

  /// `SecItemUpdate`: replaces what an item holds, and when it may be read.
  ///
  /// - Parameters:
  ///   - query: As for ``copyMatching(_:)``.
  ///   - accessibility: When it may be read from now on.
  ///   - data: What it holds from now on.
  /// - Throws: ``KeychainStatus/itemNotFound`` where there is none, and other statuses; the item
  ///   is as it was then.
  func update(
    _ query: KeychainQuery,
    accessibility: KeychainAccessibility,
    data: [UInt8]
  ) throws(KeychainStatus)

  /// `SecItemDelete`: removes an item.
  ///
  /// - Parameter query: As for ``copyMatching(_:)``.
  /// - Throws: ``KeychainStatus/itemNotFound`` where there is none, and other statuses.
  func delete(_ query: KeychainQuery) throws(KeychainStatus)
}
