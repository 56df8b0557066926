/// A JSON reader (RFC 8259) that is made for bodies nobody vouches for: it traps on nothing,
/// recurses no deeper than a limit, and loses no digit of a number.
///
/// Foundation's decoder refuses a whole body for half a surrogate pair or a number beyond
/// `Double`, and cannot give a number back as it was written.
struct JSONParser {
  private static let deepest = 256

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// The value that the bytes are, or nil.
  static func value(of bytes: UnsafeBufferPointer<UInt8>) -> JSONValue? {
    guard let text = withoutByteOrderMark(bytes) else { return nil }
    var parser = JSONParser(text)
    guard let value = parser.value(depth: 0) else { return nil }
    parser.skipSpace()
    return parser.position == text.count ? value : nil
  }

  private static func withoutByteOrderMark(
    _ bytes: UnsafeBufferPointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8>? {
    guard bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { return bytes }
    return UnsafeBufferPointer(rebasing: bytes[3...])
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position += 1
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  private mutating func take(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard bytes.count - position >= count else { return false }
    for offset in 0..<count where bytes[position + offset] != word.utf8Start[offset] {
      return false
    }
    position += count
    return true
  }

  private mutating func value(depth: Int) -> JSONValue? {
    guard depth <= JSONParser.deepest else { return nil }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "\""): return string().map(JSONValue.string)
    case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return take("null") ? .null : nil
    default: return number().map(JSONValue.number)
    }
  }

  private mutating func array(depth: Int) -> JSONValue? {
    position += 1
    var elements: [JSONValue] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return .array(elements) }
    repeat {
      guard let element = value(depth: depth + 1) else { return nil }
      elements.append(element)
      skipSpace()
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "]")) ? .array(elements) : nil
  }

  private mutating func object(depth: Int) -> JSONValue? {
    position += 1
    var object = JSONObject()
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object(object) }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\""), let name = string() else { return nil }
      skipSpace()
      guard take(UInt8(ascii: ":")), let member = value(depth: depth + 1) else { return nil }
      object[name] = member
      skipSpace()
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "}")) ? .object(object) : nil
  }

  private mutating func number() -> JSONNumber? {
    let start = position
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) {
      guard takeDigits() else { return nil }
    }
    if take(UInt8(ascii: ".")) {
      guard takeDigits() else { return nil }
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      guard takeDigits() else { return nil }
    }
    return JSONNumber(literal: String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func takeDigits() -> Bool {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position > start
  }

  /// A string whose opening quote is next.
  private mutating func string() -> String? {
    position += 1
    let start = position
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      position += 1
    }
    if next == UInt8(ascii: "\"") {
      position += 1
      return String(validating: bytes[start..<(position - 1)], as: UTF8.self)
    }
    return escapedString(Array(bytes[start..<position]))
  }

  /// The rest of a string that has an escape, after what was read of it so far.
  private mutating func escapedString(_ beginning: [UInt8]) -> String? {
    var text = beginning
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escape() else { return nil }
        text += String(scalar).utf8
      case ..<0x20: return nil
      default: text.append(byte)
      }
    }
    return nil
  }

  private mutating func escape() -> Unicode.Scalar? {
    guard let byte = next else { return nil }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return codeUnit().map { scalar(beginningWith: $0) }
    default: return nil
    }
  }

  private mutating func codeUnit() -> UInt16? {
    guard bytes.count - position >= 4 else { return nil }
    var value: UInt16 = 0
    for _ in 0..<4 {
      let byte = bytes[position]
      switch byte.asciiLowercased {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt16(byte - 0x30)
      case UInt8(ascii: "a")...UInt8(ascii: "f"):
        value = value << 4 | UInt16(byte.asciiLowercased - UInt8(ascii: "a") + 10)
      default: return nil
      }
      position += 1
    }
    return value
  }

  /// The scalar of a code unit, together with a low surrogate's escape where one follows.
  private mutating func scalar(beginningWith unit: UInt16) -> Unicode.Scalar {
    if let scalar = Unicode.Scalar(unit) { return scalar }
    let afterFirst = position
    if UTF16.isLeadSurrogate(unit), take(#"\u"#), let low = codeUnit(),
      UTF16.isTrailSurrogate(low)
    {
      let high = UInt32(unit - 0xD800) << 10
      return Unicode.Scalar(0x10000 + high + UInt32(low - 0xDC00)) ?? "\u{FFFD}"
    }
    position = afterFirst
    return "\u{FFFD}"
  }
}
