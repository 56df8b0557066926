import Foundation
import GroupMessages
import SessionModels

/// Some groups of many messages each, in this process: what a server would answer, with nothing of
/// a network in between.
struct BenchGroups: AuthenticatedRequests, EventStream {
  let groups: Int
  let messages: UInt64
  /// How many live messages follow those; the stream then stands still.
  var live: UInt64 = 0

  static func name(_ group: Int) -> String { "group-\(group)" }

  static func message(_ sequence: UInt64, in group: String) -> GroupMessage {
    GroupMessage(
      id: "msg_\(sequence)_of_\(group)",
      groupID: group,
      senderID: UserID("user-\(sequence % 7)"),
      clientMessageID: "2f9d4c9e-0000-4000-8000-\(sequence)",
      body:
        "What people write to one another, some hundred bytes of it as a rule, number \(sequence).",
      sequence: sequence,
      sentAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(sequence))
    )
  }

  func perform(_ request: MessageRequest) async throws -> MessageResponse {
    let parts = request.path.split(separator: "/")
    guard parts.first == "groups", parts.count == 3 else {
      return MessageResponse(status: 200, body: Array(#"{"id":"user-1"}"#.utf8))
    }
    let values = Dictionary(uniqueKeysWithValues: request.query.map { ($0.name, $0.value) })
    let end = min(values["before"].flatMap { UInt64($0) } ?? .max, messages + 1)
    let limit = UInt64(values["limit"].flatMap { Int($0) } ?? 50)
    let start = end > limit ? end - limit : 1
    let page = (start..<end).reversed().map { sequence in
      let message = BenchGroups.message(sequence, in: String(parts[1]))
      return #"{"id":"\#(message.id)","group_id":"\#(message.groupID)","sender_id":"#
        + #""\#(message.senderID)","client_message_id":"\#(message.clientMessageID ?? "")","body":"#
        + #""\#(message.body)","sequence":\#(sequence),"sent_at":"2026-04-17T10:00:00Z"}"#
    }
    let text = #"{"messages":[\#(page.joined(separator: ","))],"has_more":\#(start > 1)}"#
    return MessageResponse(status: 200, body: Array(text.utf8))
  }

  func isTemporary(_ error: any Error) -> Bool { false }

  func events(group: String, after: UInt64) -> any AsyncSequence<GroupEvent, any Error> & Sendable {
    Live(group: group, last: messages + live, next: after + 1)
  }

  /// The live messages, then nothing until the reader goes.
  private struct Live: AsyncSequence, AsyncIteratorProtocol {
    let group: String
    let last: UInt64
    var next: UInt64

    func makeAsyncIterator() -> Live { self }

    mutating func next() async throws -> GroupEvent? {
      guard next <= last else {
        try await Task.sleep(for: .seconds(86_400))
        return nil
      }
      defer { next += 1 }
      return .message(BenchGroups.message(next, in: group))
    }
  }
}
