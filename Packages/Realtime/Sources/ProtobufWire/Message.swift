/// One message of a group.
public struct Message: ProtobufMessage, Hashable {
  /// The server's id.
  public var id: String

  /// The group.
  public var groupID: String

  /// The user who sent it.
  public var senderID: String

  /// The id that the sender gave it; empty where it gave none.
  public var clientMessageID: String

  /// The text.
  public var body: String

  /// One higher for each message of a group, from 1.
  public var sequence: UInt64

  /// Milliseconds since the Unix epoch, by the server's clock.
  public var sentAtMilliseconds: Int64

  /// Fields of a newer contract.
  public private(set) var unknownFields = UnknownFields()

  /// The message with every field at its default.
  public init() {
    id = ""
    groupID = ""
    senderID = ""
    clientMessageID = ""
    body = ""
    sequence = 0
    sentAtMilliseconds = 0
  }

  /// The message with these fields.
  public init(
    id: String,
    groupID: String,
    senderID: String,
    clientMessageID: String,
    body: String,
    sequence: UInt64,
    sentAtMilliseconds: Int64
  ) {
    self.id = id
    self.groupID = groupID
    self.senderID = senderID
    self.clientMessageID = clientMessageID
    self.body = body
    self.sequence = sequence
    self.sentAtMilliseconds = sentAtMilliseconds
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
        case 1: try field.read(into: &id)
        case 2: try field.read(into: &groupID)
        case 3: try field.read(into: &senderID)
        case 4: try field.read(into: &clientMessageID)
        case 5: try field.read(into: &body)
        case 6: field.read(into: &sequence)
        case 7: field.read(into: &sentAtMilliseconds)
        default: false
        }
      if !known { unknownFields.keep(field) }
    }
  }

  /// The encoding of this message.
  public var protobuf: [UInt8] {
    var writer = ProtobufWriter()
    writer.string(1, id)
    writer.string(2, groupID)
    writer.string(3, senderID)
    writer.string(4, clientMessageID)
    writer.string(5, body)
    writer.uint64(6, sequence)
    writer.int64(7, sentAtMilliseconds)
    writer.unknown(unknownFields)
    return writer.bytes
  }
}
