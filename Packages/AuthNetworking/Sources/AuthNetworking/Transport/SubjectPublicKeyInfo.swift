/// Takes the public key out of a certificate, as pins are made of it (RFC 5280, section 4.1).
///
/// libcurl does this by itself; Apple's frameworks give the bare key only.
enum SubjectPublicKeyInfo {
  /// The DER bytes of the key with its algorithm, or nil where the bytes are no certificate.
  static func bytes(ofCertificate certificate: [UInt8]) -> [UInt8]? {
    var outer = DERReader(certificate[...])
    guard var signed = outer.read(0x30)?.reader, var fields = signed.read(0x30)?.reader else {
      return nil
    }
    _ = fields.read(0xA0)  // version, absent in version 1
    // serial number, signature algorithm, issuer, validity, subject
    for tag: UInt8 in [0x02, 0x30, 0x30, 0x30, 0x30] {
      guard fields.read(tag) != nil else { return nil }
    }
    return fields.read(0x30).map { Array($0.whole) }
  }
}

/// Reads DER elements one after the other.
private struct DERReader {
  private var rest: ArraySlice<UInt8>

  struct Element {
    /// Tag, length and content.
    let whole: ArraySlice<UInt8>
    let content: ArraySlice<UInt8>

    var reader: DERReader { DERReader(content) }
  }

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// The next element where it has a tag and is whole; else nil, and nothing is taken.
  mutating func read(_ tag: UInt8) -> Element? {
    guard rest.first == tag, let first = rest.dropFirst().first else { return nil }
    var content = rest.dropFirst(2)
    var length = Int(first)
    if first >= 0x80 {
      let count = Int(first & 0x7F)
      guard (1...4).contains(count), content.count >= count else { return nil }
      length = content.prefix(count).reduce(0) { $0 << 8 | Int($1) }
      content = content.dropFirst(count)
    }
    guard content.count >= length else { return nil }
    content = content.prefix(length)
    let whole = rest[..<content.endIndex]
    rest = rest[content.endIndex...]
    return Element(whole: whole, content: content)
  }
}
