/// One field as it lies on the wire.
struct ProtobufField {
  enum Value {
    case varint(UInt64)
    case fixed64(UInt64)
    case fixed32(UInt32)
    case bytes(ArraySlice<UInt8>)
    case group
  }

  let number: Int
  let value: Value
  /// Tag and value, byte for byte: what an unknown field is kept as.
  let raw: ArraySlice<UInt8>
}

extension ProtobufField {
  /// Reads a string into `target`, and says whether the field is one: a known number with
  /// another wire type is an unknown field.
  func read(into target: inout String) throws(ProtobufError) -> Bool {
    guard case .bytes(let bytes) = value else { return false }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformedString }
    target = text
    return true
  }

  func read(into target: inout UInt64) -> Bool {
    guard case .varint(let number) = value else { return false }
    target = number
    return true
  }

  func read(into target: inout Int64) -> Bool {
    guard case .varint(let number) = value else { return false }
    target = Int64(bitPattern: number)
    return true
  }

  /// A submessage, merged into what was there, as the encoding asks of a repeated one.
  func message<Message: ProtobufMessage>(
    mergedInto present: Message?
  ) throws(ProtobufError) -> Message? {
    guard case .bytes(let bytes) = value else { return nil }
    var message = present ?? Message()
    try message.merge(bytes)
    return message
  }
}
