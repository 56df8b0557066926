internal import COpenSSL

/// The SHA-256 of a server's public key (SubjectPublicKeyInfo), as curl and RFC 7469 write it.
///
/// Pins are checked besides the chain, the name and the dates, never instead of them.
public struct PublicKeyPin: Hashable, Sendable {
  /// The form it was given in: `sha256//` and 44 characters of base64.
  public let text: String

  /// A pin from `sha256//BASE64`; nil when it is not of that form.
  public init?(_ text: String) {
    let prefix = "sha256//"
    guard text.hasPrefix(prefix) else { return nil }
    let digits = Array(text.utf8.dropFirst(prefix.utf8.count))
    guard digits.count == 44, digits.last == UInt8(ascii: "=") else { return nil }
    let alphabet = digits.dropLast().allSatisfy { digit in
      switch digit {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
        true
      default: false
      }
    }
    // Decoded and encoded again, so that two spellings of one digest are the same pin.
    guard alphabet, let digest = Self.decode(digits) else { return nil }
    self.init(digest: digest)
  }

  init(digest: [UInt8]) {
    var encoded = [UInt8](repeating: 0, count: 45)
    EVP_EncodeBlock(&encoded, digest, Int32(digest.count))
    text = "sha256//" + String(decoding: encoded.prefix(44), as: UTF8.self)
  }

  /// The pin of a certificate's key; nil when OpenSSL cannot encode it.
  init?(certificate: OpaquePointer) {
    guard let key = X509_get_X509_PUBKEY(certificate) else { return nil }
    var encoded: UnsafeMutablePointer<UInt8>?
    let size = i2d_X509_PUBKEY(key, &encoded)
    guard size > 0, let encoded else { return nil }
    defer { CRYPTO_free(encoded, #file, #line) }
    var digest = [UInt8](repeating: 0, count: 32)
    guard EVP_Digest(encoded, Int(size), &digest, nil, EVP_sha256(), nil) == 1 else { return nil }
    self.init(digest: digest)
  }

  private static func decode(_ digits: [UInt8]) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 33)
    guard EVP_DecodeBlock(&bytes, digits, Int32(digits.count)) == 33 else { return nil }
    return Array(bytes.prefix(32))
  }
}
