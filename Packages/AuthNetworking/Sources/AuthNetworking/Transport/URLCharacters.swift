/// Which bytes a URL's path and query may hold, and what becomes of the others.
enum URLCharacters {
  /// Checks a path and query that must be right as they are.
  static func check(_ bytes: ArraySlice<UInt8>) throws(HTTPURLError) {
    guard bytes.allSatisfy(isAllowed) else { throw HTTPURLError(.character) }
    try checkPercentEncoding(bytes)
  }

  /// Percent-encodes what has only one meaning; what is encoded already stays as it is.
  static func encoded(_ bytes: ArraySlice<UInt8>) throws(HTTPURLError) -> ArraySlice<UInt8> {
    try checkPercentEncoding(bytes)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for byte in bytes {
      if isAllowed(byte) {
        result.append(byte)
      } else if byte >= 0x80 || " \"<>^`{|}".utf8.contains(byte) {
        result += encoded(byte)
      } else {
        throw HTTPURLError(.character)
      }
    }
    return result[...]
  }

  /// Whether a path and its query can stand behind a base as they are: one `/` in front, nothing
  /// encoded or to be encoded, no fragment, and no segment that begins with a dot.
  ///
  /// So are nearly all paths that an app asks for; others are looked at more closely.
  static func isPlain(_ text: String) -> Bool {
    var before: UInt8 = 0
    var isQuery = false
    for byte in text.utf8 {
      let isStart = before == 0
      switch byte {
      case UInt8(ascii: "/"):
        guard isStart || isQuery || before != byte else { return false }
      case UInt8(ascii: "."):
        guard isQuery || before != UInt8(ascii: "/") else { return false }
      case UInt8(ascii: "?"): isQuery = true
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "~"), UInt8(ascii: "="), UInt8(ascii: "&"), UInt8(ascii: ","):
        break
      default: return false
      }
      guard !isStart || byte == UInt8(ascii: "/") else { return false }
      before = byte
    }
    return before != 0
  }

  /// One path segment of any text, with everything encoded that could end or split it.
  static func segment(_ text: String) -> String {
    String(decoding: text.utf8.flatMap { isUnreserved($0) ? [$0] : encoded($0) }, as: UTF8.self)
  }

  /// The segments of a path with all percent-encoding undone, for comparing paths only.
  static func segments(of path: Substring) -> [[UInt8]] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { segment in
      guard segment.contains(UInt8(ascii: "%")) else { return Array(segment) }
      var rest = Array(segment)[...]
      var decoded: [UInt8] = []
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%"), rest.count >= 2,
          let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
        {
          decoded.append(value)
          rest = rest.dropFirst(2)
        } else {
          decoded.append(byte)
        }
      }
      return decoded
    }
  }

  /// Whether text begins like a URL of some scheme, `name://`.
  static func beginsWithScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
    let name = bytes.prefix { isUnreserved($0) || $0 == UInt8(ascii: "+") }
    return !name.isEmpty && bytes[name.endIndex...].starts(with: "://".utf8)
  }

  /// Whether a segment is `.` or `..`, each dot encoded or not.
  static func isDotSegment(_ segment: ArraySlice<UInt8>) -> Bool {
    var rest = segment
    var dots = 0
    while !rest.isEmpty {
      if rest.first == UInt8(ascii: ".") {
        rest = rest.dropFirst()
      } else if rest.starts(with: "%2e".utf8) || rest.starts(with: "%2E".utf8) {
        rest = rest.dropFirst(3)
      } else {
        return false
      }
      dots += 1
    }
    return dots == 1 || dots == 2
  }

  private static func checkPercentEncoding(_ bytes: ArraySlice<UInt8>) throws(HTTPURLError) {
    for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
      let digits = bytes[(index + 1)...].prefix(2)
      guard digits.count == 2, digits.allSatisfy(isHexadecimal) else {
        throw HTTPURLError(.percentEncoding)
      }
    }
  }

  private static func encoded(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  /// Unreserved, reserved and `%` of RFC 3986, with the brackets that queries hold in practice.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    isUnreserved(byte) || "%:/?[]@!$&'()*+,;=".utf8.contains(byte)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: "-._~".utf8.contains(byte)
    }
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte.asciiLowercased {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
  }
}
