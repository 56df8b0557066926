/// Somebody is typing in a group.
public struct Typing: ProtobufMessage, Hashable {
  /// The group.
  public var groupID: String

  /// The user who types.
  public var userID: String

  /// Fields of a newer contract.
  public private(set) var unknownFields = UnknownFields()

  /// The message with every field at its default.
  public init() {
    groupID = ""
    userID = ""
  }

  /// The message with these fields.
  public init(groupID: String, userID: String) {
    self.groupID = groupID
    self.userID = userID
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
        case 2: try field.read(into: &userID)
        default: false
        }
      if !known { unknownFields.keep(field) }
    }
  }

  /// The encoding of this message.
  public var protobuf: [UInt8] {
    var writer = ProtobufWriter()
    writer.string(1, groupID)
    writer.string(2, userID)
    writer.unknown(unknownFields)
    return writer.bytes
  }
}
