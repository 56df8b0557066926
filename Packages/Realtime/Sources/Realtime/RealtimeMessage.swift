internal import ProtobufWire

/// One message of a group, as the realtime service gives it.
public struct RealtimeMessage: Hashable, Sendable {
  /// The server's id.
  public let id: String

  /// The group.
  public let groupID: String

  /// The user who sent it.
  public let senderID: String

  /// The id that the sender gave it; nil where it gave none.
  public let clientMessageID: String?

  /// The text.
  public let body: String

  /// One higher for each message of a group, from 1.
  public let sequence: UInt64

  /// Milliseconds since the Unix epoch, by the server's clock.
  public let sentAtMilliseconds: Int64
}

extension RealtimeMessage {
  init(_ message: Message) {
    id = message.id
    groupID = message.groupID
    senderID = message.senderID
    clientMessageID = message.clientMessageID.isEmpty ? nil : message.clientMessageID
    body = message.body
    sequence = message.sequence
    sentAtMilliseconds = message.sentAtMilliseconds
  }
}
