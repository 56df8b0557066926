/// Why a body is no UTF-8 text as JSON is sent (RFC 8259, section 8.1): pure.
///
/// The decoder takes UTF-16 and UTF-32 too, and a byte order mark: what another server, or a proxy
/// that looks into bodies, reads in another way.
enum TextEncodingFault: Equatable, Sendable {
  case byteOrderMark
  case wideCharacters
  case noUTF8

  /// The fault of a body; nil where it is UTF-8.
  init?(_ bytes: [UInt8]) {
    let wideMarks: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF]]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      self = .byteOrderMark
    } else if wideMarks.contains(where: { bytes.starts(with: $0) }) || bytes.prefix(4).contains(0) {
      // JSON begins with an ASCII character, and UTF-8 has no zero in it.
      self = .wideCharacters
    } else if String(validating: bytes, as: UTF8.self) == nil {
      self = .noUTF8
    } else {
      return nil
    }
  }

  /// What to do about it.
  var advice: String {
    switch self {
    case .byteOrderMark: "Send the body as UTF-8 without a byte order mark"
    case .wideCharacters: "The body is UTF-16 or UTF-32; send it as UTF-8"
    case .noUTF8: "The body is no UTF-8; send its text as UTF-8"
    }
  }
}
