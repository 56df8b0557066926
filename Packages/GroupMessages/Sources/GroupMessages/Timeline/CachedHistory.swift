#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import SessionModels

/// The newest messages of a group, as they are stored for the next opening.
struct CachedHistory: Codable, Sendable {
  /// The most messages of a group that are stored.
  static let mostMessages = 200
  /// The most bytes that they may have, stored as JSON.
  static let mostBytes = 524_288

  /// One message, by short names: there are many of them.
  struct Message: Codable, Sendable {
    var i: String
    var s: String
    var c: String?
    var b: String
    var n: UInt64
    var t: Double
  }

  var messages: [Message]

  init(_ messages: some Sequence<GroupMessage>) {
    self.messages = messages.map { message in
      Message(
        i: message.id,
        s: message.senderID.rawValue,
        c: message.clientMessageID,
        b: message.body,
        n: message.sequence,
        t: message.sentAt.timeIntervalSince1970
      )
    }
  }

  /// Where a group's lie.
  static func key(_ group: String) -> String { "history/" + PercentEncoding.encode(group) }

  /// The messages again.
  func history(of group: String) -> [GroupMessage] {
    messages.map { message in
      GroupMessage(
        id: message.i,
        groupID: group,
        senderID: UserID(message.s),
        clientMessageID: message.c,
        body: message.b,
        sequence: message.n,
        sentAt: Date(timeIntervalSince1970: message.t)
      )
    }
  }

  /// What is stored: the newest of them that have room.
  func encoded() throws(MessageError) -> [UInt8] {
    var history = self
    while true {
      let bytes = try PeriodValues.encoded(history)
      if bytes.count <= CachedHistory.mostBytes || history.messages.isEmpty { return bytes }
      history.messages.removeFirst((history.messages.count + 1) / 2)
    }
  }
}
