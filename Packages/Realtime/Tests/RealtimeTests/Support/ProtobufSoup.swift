/// Makes encodings at random: fields known and unknown, of every wire type, right and wrong.
struct ProtobufSoup {
  var chance: SeededGenerator

  /// One encoding, at most so many messages deep.
  mutating func message(depth: Int = 3) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0...5, using: &chance) { bytes += field(depth: depth) }
    return bytes
  }

  /// An encoding that is broken in a few places, or not.
  mutating func perhapsBroken() -> [UInt8] {
    let bytes = message()
    return Bool.random(using: &chance) ? chance.mutated(bytes) : bytes
  }

  private mutating func field(depth: Int) -> [UInt8] {
    let numbers: [UInt64] = [1, 2, 3, 4, 5, 6, 7, 8, 99, 1 << 20, (1 << 29) - 1]
    let number = numbers[Int.random(in: 0..<numbers.count, using: &chance)]
    switch Int.random(in: 0..<8, using: &chance) {
    case 0: return varint(number << 3) + varint(integer())
    case 1: return varint(number << 3 | 1) + chance.bytes(8)
    case 2: return varint(number << 3 | 5) + chance.bytes(4)
    case 3 where depth > 0:
      return varint(number << 3 | 3) + message(depth: depth - 1) + varint(number << 3 | 4)
    case 4 where depth > 0: return delimited(number, message(depth: depth - 1))
    case 5: return delimited(number, text())
    default: return delimited(number, Array("text \(integer())".utf8))
    }
  }

  private mutating func text() -> [UInt8] {
    let texts: [[UInt8]] = [
      [], Array("ä€𝄞".utf8), [0], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xFF],
      [0xE2, 0x82],
    ]
    return texts[Int.random(in: 0..<texts.count, using: &chance)]
  }

  private mutating func integer() -> UInt64 {
    let edges: [UInt64] = [0, 1, 127, 128, 1 << 31, 1 << 32, 1 << 63, .max]
    return Bool.random(using: &chance)
      ? edges[Int.random(in: 0..<edges.count, using: &chance)] : chance.next()
  }

  private mutating func delimited(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
  }

  private mutating func varint(_ value: UInt64) -> [UInt8] {
    var bytes = shortest(value)
    // A number may be written with more bytes than it needs.
    if Int.random(in: 0..<40, using: &chance) == 0 {
      bytes[bytes.count - 1] |= 0x80
      bytes += [UInt8](repeating: 0x80, count: Int.random(in: 0...6, using: &chance)) + [0]
    }
    return bytes
  }

  private func shortest(_ value: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
