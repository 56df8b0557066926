import AuthNetworking
import GRPC
import GroupMessages
import Realtime
import SecureStorage
import SessionModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The adapters of GroupMessages' README, as they are printed there.

// README begins
struct SessionMessages: AuthenticatedRequests {
  let session: SessionController

  func perform(_ request: MessageRequest) async throws -> MessageResponse {
    var carried = APIRequest(
      HTTPMethod(rawValue: request.method.rawValue),
      request.target,
      body: request.body
    )
    carried.sessionGeneration = request.period?.generation  // this account's, or not at all
    let answer = try await session.send(carried)
    return MessageResponse(
      status: answer.status,
      body: answer.body,
      requestID: answer.requestID,
      retryAfter: answer.httpResponse.retryAfter()
    )
  }

  func isTemporary(_ error: any Error) -> Bool { (error as? AuthError)?.isTemporary ?? false }
}

struct StoredMessages: MessageStorage {
  let values: SessionValues  // they go with the session, whoever ends it

  func period() throws -> SessionPeriod? {
    try values.generation().map { SessionPeriod(generation: $0) }
  }

  func value(forKey key: String, in period: SessionPeriod) throws -> [UInt8]? {
    try values.data(forKey: key, of: period.generation)
  }

  func keys(in period: SessionPeriod) throws -> [String] {
    try values.keys(of: period.generation)
  }

  func update(
    _ key: String,
    in period: SessionPeriod,
    _ change: @escaping @Sendable ([UInt8]?) -> StoredValueChange
  ) async throws {
    let isPresent = try await values.update(key, of: period.generation) { present in
      switch change(present) {
      case .keep: .keep
      case .set(let bytes): .set(bytes)
      case .remove: .remove
      }
    }
    guard isPresent else { throw MessageError.sessionChanged }
  }
}

struct LiveMessages: EventStream, TypingSignals {
  let client: RealtimeClient

  func events(group: String, after: UInt64) -> any AsyncSequence<GroupEvent, any Error> & Sendable {
    client.subscribe(groupID: group, afterSequence: after).map { event in
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

  func signalTyping(in group: String) async throws {
    try await client.signalTyping(groupID: group)
  }
}

func groupMessages(
  session: SessionController,
  store: SecureStore,
  realtime: RealtimeClient
) -> GroupMessages {
  let live = LiveMessages(client: realtime)
  return GroupMessages(
    requests: SessionMessages(session: session),
    events: live,
    dialect: .skyConnect,
    storage: StoredMessages(values: SessionValues(store: store)),
    typing: live
  )
}
// README ends
