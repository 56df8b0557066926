/// The session of this stream was revoked; UNAUTHENTICATED follows.
public struct SessionRevoked: ProtobufMessage, Hashable {
  /// Why, for people.
  public var reason: String

  /// Fields of a newer contract.
  public private(set) var unknownFields = UnknownFields()

  /// The message with every field at its default.
  public init() {
    reason = ""
  }

  /// The message with these fields.
  public init(reason: String) {
    self.reason = reason
  }

  /// Reads the fields in `bytes` over those that are there.
  ///
  /// - Parameter bytes: the encoding of one whole message.
  /// - Throws: ``ProtobufError`` for malformed bytes.
  public mutating func merge(_ bytes: ArraySlice<UInt8>) throws(ProtobufError) {
    var reader = ProtobufReader(bytes)
    while let field = try reader.next() {
      let known =
        switch field.number {
        case 1: try field.read(into: &reason)
        default: false
        }
      if !known { unknownFields.keep(field) }
    }
  }

  /// The encoding of this message.
  public var protobuf: [UInt8] {
    var writer = ProtobufWriter()
    writer.string(1, reason)
    writer.unknown(unknownFields)
    return writer.bytes
  }
}
