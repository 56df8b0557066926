/// Reads the fields of one message, in the order in which they lie in the bytes.
///
/// It follows the Protocol Buffers encoding, and refuses what upb (the decoder of protobuf's
/// Python and C) refuses. Groups are read over as one field, at most 100 deep.
struct ProtobufReader {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    self.position = bytes.startIndex
  }

  /// The next field, or nil at the end of the message.
  mutating func next() throws(ProtobufError) -> ProtobufField? {
    guard position < bytes.endIndex else { return nil }
    let start = position
    let (number, wireType) = try tag()
    let value: ProtobufField.Value
    switch wireType {
    case 0: value = .varint(try varint())
    case 1: value = .fixed64(try fixed(8))
    case 2: value = .bytes(try lengthDelimited())
    case 3:
      try skipGroup(number, depth: 1)
      value = .group
    case 5: value = .fixed32(UInt32(truncatingIfNeeded: try fixed(4)))
    case 4: throw .unbalancedGroup
    default: throw .malformedTag
    }
    return ProtobufField(number: number, value: value, raw: bytes[start..<position])
  }

  private mutating func tag() throws(ProtobufError) -> (number: Int, wireType: UInt64) {
    guard let tag = try varint(atMost: 5) else { throw .malformedTag }
    let number = tag >> 3
    guard number >= 1, number < 1 << 29 else { throw .malformedTag }
    return (Int(number), tag & 7)
  }

  private mutating func varint() throws(ProtobufError) -> UInt64 {
    guard let value = try varint(atMost: 10) else { throw .malformedVarint }
    return value
  }

  /// A varint; nil when it goes on beyond `size` bytes, of which tags and lengths have 5 at most.
  private mutating func varint(atMost size: Int) throws(ProtobufError) -> UInt64? {
    var value: UInt64 = 0
    for index in 0..<size {
      guard position < bytes.endIndex else { throw .truncated }
      let byte = bytes[position]
      position += 1
      // What is above the 64th bit is dropped, as protobuf's own readers do.
      value |= UInt64(byte & 0x7F) << (7 * UInt64(index))
      if byte & 0x80 == 0 { return value }
    }
    return nil
  }

  private mutating func fixed(_ size: Int) throws(ProtobufError) -> UInt64 {
    guard bytes.endIndex - position >= size else { throw .truncated }
    var value: UInt64 = 0
    for index in 0..<size { value |= UInt64(bytes[position + index]) << (8 * UInt64(index)) }
    position += size
    return value
  }

  private mutating func lengthDelimited() throws(ProtobufError) -> ArraySlice<UInt8> {
    guard let length = try varint(atMost: 5) else { throw .malformedVarint }
    guard length <= UInt64(bytes.endIndex - position) else { throw .truncated }
    let start = position
    position += Int(length)
    return bytes[start..<position]
  }

  private mutating func skipGroup(_ group: Int, depth: Int) throws(ProtobufError) {
    guard depth <= 100 else { throw .tooDeep }
    while position < bytes.endIndex {
      let (number, wireType) = try tag()
      switch wireType {
      case 0: _ = try varint()
      case 1: _ = try fixed(8)
      case 2: _ = try lengthDelimited()
      case 3: try skipGroup(number, depth: depth + 1)
      case 4:
        guard number == group else { throw .unbalancedGroup }
        return
      case 5: _ = try fixed(4)
      default: throw .malformedTag
      }
    }
    throw .unbalancedGroup
  }
}
