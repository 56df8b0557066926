/// What the client says on a `Connect` stream.
public struct ClientFrame: ProtobufMessage, Hashable {
  /// The one member that is set.
  public enum Kind: Hashable, Sendable {
    /// Subscribes to a group.
    case subscribe(SubscribeRequest)

    /// Sends a message.
    case send(SendRequest)

    /// Says that the user types.
    case typing(Typing)
  }

  /// What it says; nil when it is of a newer contract, or empty.
  public var frame: Kind?

  /// Fields of a newer contract.
  public private(set) var unknownFields = UnknownFields()

  /// The message with nothing set.
  public init() {}

  /// The message with this member set.
  public init(_ frame: Kind) {
    self.frame = frame
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
        case 1: try field.message(mergedInto: subscribe).map(Kind.subscribe)
        case 2: try field.message(mergedInto: send).map(Kind.send)
        case 3: try field.message(mergedInto: typing).map(Kind.typing)
        default: nil
        }
      if let kind {
        frame = kind
      } else {
        unknownFields.keep(field)
      }
    }
  }

  /// The encoding of this message.
  public var protobuf: [UInt8] {
    var writer = ProtobufWriter()
    switch frame {
    case .subscribe(let value): writer.message(1, value)
    case .send(let value): writer.message(2, value)
    case .typing(let value): writer.message(3, value)
    case nil: break
    }
    writer.unknown(unknownFields)
    return writer.bytes
  }

  private var subscribe: SubscribeRequest? {
    guard case .subscribe(let value) = frame else { return nil }
    return value
  }

  private var send: SendRequest? {
    guard case .send(let value) = frame else { return nil }
    return value
  }

  private var typing: Typing? {
    guard case .typing(let value) = frame else { return nil }
    return value
  }
}
