/// Base64url without padding (RFC 4648, section 5).
enum Base64URL {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
  )

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var start = 0
    while start < bytes.count {
      let chunk = bytes[start..<min(start + 3, bytes.count)]
      let word = chunk.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * (3 - UInt32(chunk.count)))
      for index in 0...chunk.count {
        text.append(alphabet[Int(word >> (18 - 6 * UInt32(index)) & 63)])
      }
      start += 3
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Nil where a character, the length or a spare bit is wrong: each value has one form.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var word: UInt32 = 0
    var bits: UInt32 = 0
    for character in text.utf8 {
      guard let value = value(of: character) else { return nil }
      word = word << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: word >> bits))
      }
    }
    guard bits < 6, word & (1 << bits - 1) == 0 else { return nil }
    return bytes
  }

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
