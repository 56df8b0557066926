/// Reads the binary forms of FORMAT.md; every answer is nil once the bytes run out.
struct ByteReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  /// How many bytes are left.
  var left: Int { bytes.count - position }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type = Number.self
  ) -> Number? {
    let size = Number.bitWidth / 8
    guard bytes.count - position >= size else { return nil }
    defer { position += size }
    return bytes.withUnsafeBytes {
      Number(bigEndian: $0.loadUnaligned(fromByteOffset: position, as: Number.self))
    }
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
