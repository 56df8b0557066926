/// Builds the binary forms of FORMAT.md: numbers big endian, texts and bytes with their length.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  mutating func number(_ value: some FixedWidthInteger & UnsignedInteger) {
    withUnsafeBytes(of: value.bigEndian) { number in
      // Of bytes whose type is known many are copied at once.
      number.withMemoryRebound(to: UInt8.self) { bytes.append(contentsOf: $0) }
    }
  }

  mutating func raw(_ value: some Sequence<UInt8>) { bytes.append(contentsOf: value) }

  /// A 16-bit length, then the bytes; the caller's are at most 65,535.
  mutating func short(_ value: some Collection<UInt8>) {
    number(UInt16(truncatingIfNeeded: value.count))
    raw(value)
  }

  /// A 32-bit length, then the bytes.
  mutating func long(_ value: some Collection<UInt8>) {
    number(UInt32(truncatingIfNeeded: value.count))
    raw(value)
  }
}
