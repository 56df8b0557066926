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
    let text = line.prefix { $0 != 0x0D && $0 != 0x0A }
    if text.starts(with: "HTTP/".utf8) {
      headers = HTTPHeaders()
      isComplete = false
    } else if text.isEmpty {
      isComplete = true
    } else if !isComplete, let colon = text.firstIndex(of: UInt8(ascii: ":")) {
      let name = String(decoding: text[..<colon], as: UTF8.self)
      headers.add(name, ResponseHead.value(text[(colon + 1)...]))
    }
    // What comes after the empty line are trailers: nothing here reads any.
  }

  /// UTF-8 where it is that, else Latin-1, which every byte is.
  private static func value(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    var bytes = bytes.drop(while: isSpace)
    while let last = bytes.last, isSpace(last) { bytes = bytes.dropLast() }
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var scalars = String.UnicodeScalarView()
    for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
    return String(scalars)
  }
}
