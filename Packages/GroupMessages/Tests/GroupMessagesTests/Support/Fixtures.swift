import GroupMessages
import SessionModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension UserID {
  static let me = UserID("user-1")
  static let other = UserID("user-2")
}

extension GroupMessage {
  /// A message of which only the sequence matters.
  static func fixture(
    _ sequence: UInt64,
    sender: UserID = .other,
    clientMessageID: String? = nil,
    body: String? = nil
  ) -> GroupMessage {
    GroupMessage(
      id: "message-\(sequence)",
      groupID: "demo",
      senderID: sender,
      clientMessageID: clientMessageID,
      body: body ?? "text \(sequence)",
      sequence: sequence,
      sentAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(sequence))
    )
  }
}

/// A group on a server: answers `/auth/me` and the history of messages 1 to `newest`.
struct ServerGroup: Sendable {
  var newest: UInt64
  var lost: Set<UInt64> = []

  func answer(_ request: MessageRequest) -> MessageResponse {
    guard request.path.hasPrefix("/groups/") else {
      return MessageResponse(200, #"{"id":"user-1"}"#)
    }
    let values = Dictionary(uniqueKeysWithValues: request.query.map { ($0.name, $0.value) })
    let before = values["before"].flatMap { UInt64($0) } ?? newest + 1
    let limit = values["limit"].flatMap { Int($0) } ?? 50
    let there = (1..<max(1, min(before, newest + 1))).filter { !lost.contains($0) }
    let page = there.suffix(limit).reversed().map { sequence in
      #"{"id":\#(sequence),"group_id":"demo","sender_id":"user-2","body":"text \#(sequence)","#
        + #""sequence":\#(sequence),"sent_at":"2026-04-17T10:00:00Z"}"#
    }
    let hasMore = there.count > limit
    return MessageResponse(
      200,
      #"{"messages":[\#(page.joined(separator: ","))],"has_more":\#(hasMore)}"#
    )
  }
}

extension GroupEvent {
  /// The sequence of a message, and what else came in words.
  var summary: String {
    switch self {
    case .message(let message): "\(message.sequence)"
    case .typing(let user): "\(user) types"
    case .gap(let after, let before): "gap \(after)-\(before)"
    }
  }
}
