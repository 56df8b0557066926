#if canImport(Security)
internal import Foundation
internal import Security

/// The keychain of the device: the four functions of `Security`, and nothing else.
public struct SystemKeychain: Keychain {
  /// The data protection keychain of this app.
  public init() {}

  /// `SecItemAdd`.
  ///
  /// - Parameters:
  ///   - query: Which item.
  ///   - accessibility: When it may be read.
  ///   - data: What it holds.
  /// - Throws: the status.
  public func add(
    _ query: KeychainQuery,
    accessibility: KeychainAccessibility,
    data: [UInt8]
  ) throws(KeychainStatus) {
    var attributes = SystemKeychain.attributes(of: query)
    attributes.merge(SystemKeychain.content(data, accessibility)) { $1 }
    try SystemKeychain.check(SecItemAdd(attributes as CFDictionary, nil))
  }

  /// `SecItemCopyMatching`.
  ///
  /// - Parameter query: Which item.
  /// - Returns: What it holds.
  /// - Throws: the status.
  public func copyMatching(_ query: KeychainQuery) throws(KeychainStatus) -> [UInt8] {
    var attributes = SystemKeychain.attributes(of: query)
    attributes[kSecMatchLimit] = kSecMatchLimitOne
    attributes[kSecReturnData] = kCFBooleanTrue
    var result: CFTypeRef?
    try SystemKeychain.check(SecItemCopyMatching(attributes as CFDictionary, &result))
    guard let data = result as? Data else { throw .decode }
    return [UInt8](data)
  }

  /// `SecItemUpdate`.
  ///
  /// - Parameters:
  ///   - query: Which item.
  ///   - accessibility: When it may be read.
  ///   - data: What it holds.
  /// - Throws: the status.
  public func update(
    _ query: KeychainQuery,
    accessibility: KeychainAccessibility,
    data: [UInt8]
  ) throws(KeychainStatus) {
    let attributes = SystemKeychain.attributes(of: query)
    let content = SystemKeychain.content(data, accessibility)
    try SystemKeychain.check(
      SecItemUpdate(attributes as CFDictionary, content as CFDictionary)
    )
  }

  /// `SecItemDelete`.
  ///
  /// - Parameter query: Which item.
  /// - Throws: the status.
  public func delete(_ query: KeychainQuery) throws(KeychainStatus) {
    try SystemKeychain.check(SecItemDelete(SystemKeychain.attributes(of: query) as CFDictionary))
  }

  private static func attributes(of query: KeychainQuery) -> [CFString: Any] {
    var attributes: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword,
      kSecAttrService: query.service,
      kSecAttrAccount: query.account,
      kSecAttrSynchronizable: false,
      kSecUseDataProtectionKeychain: true,
    ]
    attributes[kSecAttrAccessGroup] = query.accessGroup
    return attributes
  }

  private static func content(
    _ data: [UInt8],
    _ accessibility: KeychainAccessibility
  ) -> [CFString: Any] {
    let when =
      switch accessibility {
      case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
      case .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
      case .whenPasscodeSetThisDeviceOnly: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
      }
    return [kSecValueData: Data(data), kSecAttrAccessible: when]
  }

  private static func check(_ status: OSStatus) throws(KeychainStatus) {
    guard status == errSecSuccess else { throw KeychainStatus(rawValue: status) }
  }
}
#endif
