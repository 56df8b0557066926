/// Keeps the root key in a file that only its owner can read.
///
/// It protects a store whose database is copied without the key file, and against nothing else:
/// who can read the owner's files can read both. A backup of the home holds both, too.
public struct FileVault: KeyVault {
  private static let magic = Array("SSFV".utf8)
  private static let version: UInt8 = 1

  private let file: VaultFile

  /// `file`.
  public var name: VaultName { .file }

  /// Yes: where its file hangs, so does the store's.
  public var answersAtOnce: Bool { true }

  /// A vault in a file.
  ///
  /// - Parameter path: The file; made with mode 0600 when the store is.
  public init(path: String) { file = VaultFile(path: path) }

  /// The key in the file, or nil where there is no file.
  ///
  /// - Returns: The key.
  /// - Throws: `keyLost` where the file is damaged, `io` where others can write to it or it
  ///   cannot be read, `newerFormat`.
  public func rootKey() throws(StorageError) -> RootKey? {
    guard var content = try file.read() else { return nil }
    defer { Sodium.wipe(&content) }
    guard content.starts(with: FileVault.magic), content.count > FileVault.magic.count else {
      throw .keyLost("The key file \(file.path) is not a key file")
    }
    guard content[FileVault.magic.count] == FileVault.version else {
      throw .newerFormat("The key file \(file.path) has a newer format")
    }
    guard let key = RootKey(content.dropFirst(FileVault.magic.count + 1)) else {
      throw .keyLost("The key file \(file.path) is damaged")
    }
    return key
  }

  /// Replaces the file, atomically and durably; nil overwrites and removes it.
  ///
  /// - Parameter key: What to keep.
  /// - Throws: `io`; the file is as it was then.
  public func setRootKey(_ key: RootKey?) throws(StorageError) {
    guard let key else { return try file.remove() }
    var content = FileVault.magic + [FileVault.version]
    content.reserveCapacity(64)
    key.withBytes { content.append(contentsOf: $0) }
    defer { Sodium.wipe(&content) }
    try file.write(content)
  }
}
