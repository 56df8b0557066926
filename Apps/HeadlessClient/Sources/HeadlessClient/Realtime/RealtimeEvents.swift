#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import GroupMessages
internal import Realtime
internal import SessionModels

/// Group messages' live events, from the realtime client.
struct RealtimeEvents: EventStream {
  private let client: RealtimeClient

  init(client: RealtimeClient) { self.client = client }

  func events(group: String, after: UInt64) -> any AsyncSequence<GroupEvent, any Error> & Sendable {
    client.subscribe(groupID: group, afterSequence: after).map { RealtimeEvents.event($0) }
  }

  private static func event(_ event: RealtimeEvent) -> GroupEvent {
    switch event {
    case .message(let message):
      .message(
        GroupMessage(
          id: message.id,
          groupID: message.groupID,
          senderID: UserID(message.senderID),
          clientMessageID: message.clientMessageID,
          body: message.body,
          sequence: message.sequence,
          sentAt: Date(timeIntervalSince1970: Double(message.sentAtMilliseconds) / 1000)
        )
      )
    case .typing(let user): .typing(UserID(user))
    case .gap(let after, let before): .gap(after: after, before: before)
    }
  }
}
