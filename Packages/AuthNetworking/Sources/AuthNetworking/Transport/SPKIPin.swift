/// The SHA-256 of a server's public key (its SubjectPublicKeyInfo), as in `sha256//BASE64`.
///
/// Of the key, not of the certificate, so that a renewed certificate with the same key still
/// fits. A pin is checked besides chain, host name and dates, never instead of them.
public struct SPKIPin: Hashable, Sendable {
  /// The 32 bytes.
  public let digest: [UInt8]
  /// The bytes in base64, 44 characters.
  public let base64: String

  /// A pin from its text, or nil where it is not `sha256//` and 32 bytes in padded base64.
  public init?(_ text: String) {
    let prefix = "sha256//"
    guard text.hasPrefix(prefix) else { return nil }
    let encoded = Array(text.utf8.dropFirst(prefix.utf8.count))
    guard encoded.count == 44, encoded.last == UInt8(ascii: "=") else { return nil }
    var bytes: [UInt8] = []
    var accumulator: UInt32 = 0
    var bits = 0
    for character in encoded.dropLast() {
      guard let value = SPKIPin.alphabet.firstIndex(of: character) else { return nil }
      accumulator = accumulator << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: accumulator >> UInt32(bits)))
        accumulator &= 1 << UInt32(bits) - 1
      }
    }
    // Bits that are left over would make two texts of one pin.
    guard bytes.count == 32, accumulator == 0 else { return nil }
    digest = bytes
    base64 = String(decoding: encoded, as: UTF8.self)
  }

  /// A pin of a digest of 32 bytes; nil for another length.
  public init?(digest: [UInt8]) {
    guard digest.count == 32 else { return nil }
    var encoded: [UInt8] = []
    for start in stride(from: 0, to: 32, by: 3) {
      let bytes = (0..<3).map { start + $0 < 32 ? UInt32(digest[start + $0]) : 0 }
      let group = bytes[0] << 16 | bytes[1] << 8 | bytes[2]
      encoded += [18, 12, 6, 0].map { SPKIPin.alphabet[Int(group >> UInt32($0) & 63)] }
    }
    // 32 bytes leave two over: three characters and one of padding.
    encoded[43] = UInt8(ascii: "=")
    self.digest = digest
    base64 = String(decoding: encoded, as: UTF8.self)
  }

  /// The pin's text.
  public var text: String { "sha256//" + base64 }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )
}

extension SPKIPin: CustomStringConvertible {
  /// The pin's text.
  public var description: String { text }
}
