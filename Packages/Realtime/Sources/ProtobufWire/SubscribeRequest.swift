/// Asks for everything that happens in one group.
public struct SubscribeRequest: ProtobufMessage, Hashable {
  /// The group.
  public var groupID: String

  /// The last sequence that is known already; 0 asks from the beginning.
  public var afterSequence: UInt64

  /// Fields of a newer contract.
  public private(set) var unknownFields = UnknownFields()

  /// The message with every field at its default.
  public init() {
    groupID = ""
    afterSequence = 0
  }

  /// The message with these fields.
  public init(groupID: String, afterSequence: UInt64) {
    self.groupID = groupID
    self.afterSequence = afterSequence
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
        case 1: try field.read(into: &groupID)
        case 2: field.read(into: &afterSequence)
        default: false
        }
      if !known { unknownFields.keep(field) }
    }
  }

  /// The encoding of this message.
  public var protobuf: [UInt8] {
    var writer = ProtobufWriter()
    writer.string(1, groupID)
    writer.uint64(2, afterSequence)
    writer.unknown(unknownFields)
    return writer.bytes
  }
}
