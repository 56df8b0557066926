@testable import SecureStorage

/// The content of a keyset with one data key, for vectors.
enum KeyringContent {
  /// A keyring whose data key is the 32 bytes from `first` on.
  static func bytes(nameKey: [UInt8], keyID: UInt32, first: UInt8) -> [UInt8] {
    var writer = ByteWriter()
    writer.number(UInt8(1))
    writer.raw(nameKey)
    writer.number(keyID)
    writer.number(UInt16(1))
    writer.number(keyID)
    writer.short(Array("xchacha20-poly1305".utf8))
    writer.raw(first...(first + 31))
    return writer.bytes
  }
}
