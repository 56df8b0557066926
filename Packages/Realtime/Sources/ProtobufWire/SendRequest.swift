/// Sends one message; repeating a client message id returns the first message.
public struct SendRequest: ProtobufMessage, Hashable {
  /// The group.
  public var groupID: String

  /// The id that the sender gave it, by which repeats are recognised.
  public var clientMessageID: String

  /// The text.
  public var body: String

  /// Fields of a newer contract.
  public private(set) var unknownFields = UnknownFields()

  /// The message with every field at its default.
  public init() {
    groupID = ""
    clientMessageID = ""
    body = ""
  }

  /// The message with these fields.
  public init(groupID: String, clientMessageID: String, body: String) {
    self.groupID = groupID
    self.clientMessageID = clientMessageID
    self.body = body
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
        case 2: try field.read(into: &clientMessageID)
        case 3: try field.read(into: &body)
        default: false
        }
      if !known { unknownFields.keep(field) }
    }
  }

  /// The encoding of this message.
  public var protobuf: [UInt8] {
    var writer = ProtobufWriter()
    writer.string(1, groupID)
    writer.string(2, clientMessageID)
    writer.string(3, body)
    writer.unknown(unknownFields)
    return writer.bytes
  }
}
