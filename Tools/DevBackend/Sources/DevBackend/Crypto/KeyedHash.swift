internal import CSodium

/// Keyed BLAKE2b, under which refresh tokens and opaque sessions are stored.
///
/// Without the key, a copy of the table does not even tell whether a token is in it.
struct KeyedHash: Sendable {
  private let key: [UInt8]

  /// A hash under a key of 32 bytes.
  init(key: [UInt8]) { self.key = key }

  /// 32 bytes as hexadecimal text.
  func callAsFunction(_ secret: String) -> TokenHash {
    let message = Array(secret.utf8)
    var digest = [UInt8](repeating: 0, count: 32)
    crypto_generichash(
      &digest,
      digest.count,
      message,
      UInt64(message.count),
      key,
      key.count
    )
    return Hexadecimal.encode(digest)
  }
}

/// Bytes as lower-case hexadecimal text.
enum Hexadecimal {
  private static let digits = Array("0123456789abcdef".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
      as: UTF8.self
    )
  }
}
