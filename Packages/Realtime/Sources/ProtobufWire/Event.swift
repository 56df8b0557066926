/// What the server says on a stream.
public struct Event: ProtobufMessage, Hashable {
  /// The one member that is set.
  public enum Kind: Hashable, Sendable {
    /// A message was sent to the group.
    case message(Message)

    /// Somebody is typing.
    case typing(Typing)

    /// The session was revoked; the stream ends.
    case sessionRevoked(SessionRevoked)
  }

  /// What it says; nil when it is of a newer contract, or empty.
  public var event: Kind?

  /// Fields of a newer contract.
  public private(set) var unknownFields = UnknownFields()

  /// The message with nothing set.
  public init() {}

  /// The message with this member set.
  public init(_ event: Kind) {
    self.event = event
  }

  /// Reads the fields in `bytes` over those that are there: the last member wins, and one that
  /// comes twice in a row is merged.
  ///
  /// - Parameter bytes: the encoding of one whole message.
  /// - Throws: ``ProtobufError`` for malformed bytes.
  public mutating func merge(_ bytes: ArraySlice<UInt8>) throws(ProtobufError) {
    var reader = ProtobufReader(bytes)
    while let field = try reader.next() {
      let kind: Kind? =
        switch field.number {
        case 1: try field.message(mergedInto: message).map(Kind.message)
        case 2: try field.message(mergedInto: typing).map(Kind.typing)
        case 3: try field.message(mergedInto: sessionRevoked).map(Kind.sessionRevoked)
        default: nil
        }
      if let kind {
        event = kind
      } else {
        unknownFields.keep(field)
      }
    }
  }

  /// The encoding of this message.
  public var protobuf: [UInt8] {
    var writer = ProtobufWriter()
    switch event {
    case .message(let value): writer.message(1, value)
    case .typing(let value): writer.message(2, value)
    case .sessionRevoked(let value): writer.message(3, value)
    case nil: break
    }
    writer.unknown(unknownFields)
    return writer.bytes
  }

  private var message: Message? {
    guard case .message(let value) = event else { return nil }
    return value
  }

  private var typing: Typing? {
    guard case .typing(let value) = event else { return nil }
    return value
  }

  private var sessionRevoked: SessionRevoked? {
    guard case .sessionRevoked(let value) = event else { return nil }
    return value
  }
}
