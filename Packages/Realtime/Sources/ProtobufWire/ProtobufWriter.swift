/// Appends fields to the bytes of one message; proto3 defaults are left out.
struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  mutating func string(_ number: Int, _ value: String) {
    if value.isEmpty { return }
    var value = value
    value.withUTF8 { utf8 in
      tag(number, wireType: 2)
      varint(UInt64(utf8.count))
      bytes.append(contentsOf: utf8)
    }
  }

  mutating func uint64(_ number: Int, _ value: UInt64) {
    if value == 0 { return }
    tag(number, wireType: 0)
    varint(value)
  }

  mutating func int64(_ number: Int, _ value: Int64) {
    uint64(number, UInt64(bitPattern: value))
  }

  /// A submessage is written even when it is empty: its presence says something.
  mutating func message(_ number: Int, _ value: some ProtobufMessage) {
    let encoded = value.protobuf
    tag(number, wireType: 2)
    varint(UInt64(encoded.count))
    bytes.append(contentsOf: encoded)
  }

  mutating func unknown(_ fields: UnknownFields) { bytes.append(contentsOf: fields.bytes) }

  private mutating func tag(_ number: Int, wireType: UInt64) {
    varint(UInt64(number) << 3 | wireType)
  }

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
