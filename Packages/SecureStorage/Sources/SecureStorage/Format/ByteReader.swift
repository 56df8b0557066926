/// Reads the binary forms of FORMAT.md; every answer is nil once the bytes run out.
struct ByteReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
    guard let raw = raw(Number.bitWidth / 8) else { return nil }
    return raw.reduce(Number.zero) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }

  mutating func raw(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, bytes.count - position >= count else { return nil }
    defer { position += count }
    return bytes[position..<position + count]
  }

  mutating func short() -> ArraySlice<UInt8>? {
    guard let count = number(UInt16.self) else { return nil }
    return raw(Int(count))
  }

  mutating func rest() -> ArraySlice<UInt8> {
    defer { position = bytes.count }
    return bytes[position...]
  }
}
