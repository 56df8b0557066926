/// Collects the head of an answer, line by line, as it comes from the network.
struct ResponseHead {
  /// The fields of the last head: those of interim answers (1xx) are dropped.
  private(set) var headers = HTTPHeaders()
  /// Whether any byte of an answer has come.
  private(set) var hasBegun = false
  /// Whether the server sent more than anybody can need.
  private(set) var isTooLarge = false

  /// Whether the empty line has come that ends a head.
  ///
  /// A connection that breaks before it leaves half an answer.
  private(set) var isComplete = false

  private var size = 0

  /// The most bytes of all heads together: a server could send interim answers for ever.
  static let largest = 256 << 10

  /// Takes one line with its line break, as it stands on the wire.
  mutating func take(line: UnsafeRawBufferPointer) {
    hasBegun = true
    size += line.count
    guard size <= ResponseHead.largest else {
      isTooLarge = true
      return
    }
    var end = 0
    var colon: Int?
    while end < line.count, line[end] != 0x0D, line[end] != 0x0A {
      if colon == nil, line[end] == UInt8(ascii: ":") { colon = end }
      end += 1
    }
    if end >= 5, line[..<5].elementsEqual("HTTP/".utf8) {
      headers = HTTPHeaders()
      headers.reserve(ResponseHead.usualFields)
      isComplete = false
    } else if end == 0 {
      isComplete = true
    } else if !isComplete, let colon {
      let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
      headers.add(
        String(decoding: name, as: UTF8.self),
        ResponseHead.value(line, from: colon + 1, to: end)
      )
    }
    // What comes after the empty line are trailers: nothing here reads any.
  }

  /// How many fields there is room for at once.
  private static let usualFields = 8

  /// UTF-8 where it is that, else Latin-1, which every byte is.
  private static func value(
    _ line: UnsafeRawBufferPointer,
    from start: Int,
    to end: Int
  ) -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    var (start, end) = (start, end)
    while start < end, isSpace(line[start]) { start += 1 }
    while start < end, isSpace(line[end - 1]) { end -= 1 }
    let bytes = UnsafeRawBufferPointer(rebasing: line[start..<end])
    var seen: UInt8 = 0
    for byte in bytes { seen |= byte }
    // Nearly all are ASCII.
    if seen < 0x80 { return String(decoding: bytes, as: UTF8.self) }
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var scalars = String.UnicodeScalarView()
    for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
    return String(scalars)
  }
}
