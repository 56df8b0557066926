#if KernelKeyring && os(Linux)
/// Keeps the root key in the kernel's memory, for all processes of the user: a reboot empties it.
///
/// Standing alone it suits stores that may be lost, as in a test or a kiosk. Else it caches what
/// another vault was asked for: see ``CachingVault``.
///
/// What is stored under a key that is gone is lost, and the store says `keyLost`.
public struct KernelKeyringVault: KeyVault {
  private static let magic = Array("SSKV".utf8)
  private static let version: UInt8 = 1

  private let description: String
  private let timeout: Duration?

  /// `kernel-keyring`.
  public var name: VaultName { .kernelKeyring }

  /// A vault in the user's keyring.
  ///
  /// - Parameters:
  ///   - account: What tells this key from the user's other ones, as the path of the store. Without
  ///     NUL, and at most 4,000 bytes of it count.
  ///   - timeout: After which the kernel forgets the key, counted from when it was set; nil for
  ///     not before the next reboot. Whole seconds, one at least.
  public init(account: String, timeout: Duration? = nil) {
    description = "mobile-auth-core:\(account)"
    self.timeout = timeout
  }

  /// The key; nil where there is none, or none any more.
  ///
  /// - Returns: The key.
  /// - Throws: `vaultUnavailable` where the kernel or the container does not allow it, `keyLost`
  ///   where something else is in its place, `newerFormat`.
  public func rootKey() throws(StorageError) -> RootKey? {
    guard var framed = try KernelKeyring().content(of: description) else { return nil }
    defer { Sodium.wipe(&framed) }
    guard var content = Checksummed.payload(of: framed) else { throw foreign }
    defer { Sodium.wipe(&content) }
    let header = KernelKeyringVault.magic.count
    guard content.starts(with: KernelKeyringVault.magic), content.count > header else {
      throw foreign
    }
    guard content[header] == KernelKeyringVault.version else {
      throw .newerFormat("The key \(description) in the kernel's keyring has a newer format")
    }
    guard let key = RootKey(content.dropFirst(header + 1)) else { throw foreign }
    return key
  }

  /// Puts a key in the place of the one before, and starts its time-out anew; nil removes it.
  ///
  /// - Parameter key: What to keep.
  /// - Throws: `vaultUnavailable`; the key before is kept then.
  public func setRootKey(_ key: RootKey?) throws(StorageError) {
    let keyring = try KernelKeyring()
    guard let key else { return try keyring.remove(description) }
    var content = KernelKeyringVault.magic + [KernelKeyringVault.version]
    content.reserveCapacity(64)
    key.withBytes { content.append(contentsOf: $0) }
    defer { Sodium.wipe(&content) }
    var framed = Checksummed.frame(content)
    defer { Sodium.wipe(&framed) }
    try keyring.keep(framed, as: description, for: timeout.map(KernelKeyringVault.seconds))
  }

  private static func seconds(_ duration: Duration) -> UInt32 {
    UInt32(clamping: max(1, duration.components.seconds))
  }

  private var foreign: StorageError {
    .keyLost("The key \(description) in the kernel's keyring is not one of a store")
  }
}
#endif
