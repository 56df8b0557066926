// The composition in the headless client's README, which `Tools/check` compares with it.
import AuthNetworking
import Foundation
import GRPC
import GroupMessages
import Realtime
import SecureStorage
import SessionModels

// README begins
/// An app's core: a session that survives a restart, authenticated requests, group messages.
struct Core {
  let session: SessionController
  let messages: GroupMessages
  let realtime: RealtimeClient

  init(home: String, backend: HTTPURL, realtimeURL: String, device: DeviceID) async throws {
    let store = try await SecureStore.open(
      at: "\(home)/store",
      vault: FileVault(path: "\(home)/store/store.key")
    )
    session = SessionController(
      configuration: SessionConfiguration(
        baseURL: backend,
        dialect: SkyConnectAPI(),
        deviceID: device,
        clientVersion: "example-1.0(1)",
        userAgent: "example/1.0"
      ),
      storage: SecureSessionStorage(store: store),
      transport: try CurlTransport(),
      lock: FlockRefreshLock(path: "\(home)/refresh.lock")
    )
    realtime = RealtimeClient(to: try GRPCEndpoint(realtimeURL), tokens: Tokens(session: session))
    messages = GroupMessages(
      requests: Requests(session: session),
      events: Events(client: realtime),
      dialect: .skyConnect
    )
  }
}

/// Realtime asks for the token at every call, and once more when the server refuses one.
struct Tokens: TokenProvider {
  let session: SessionController

  func token() async throws -> Secret? { try await session.token().secret }

  func tokenWasRefused(_ token: Secret) async throws -> Bool {
    try await session.accessTokenWasRefused(AccessToken(token)).secret != token
  }
}

/// Group messages' requests go out with the session's token, which is refreshed where needed.
struct Requests: AuthenticatedRequests {
  let session: SessionController

  func perform(_ request: MessageRequest) async throws -> MessageResponse {
    let answer = try await session.send(
      APIRequest(HTTPMethod(rawValue: request.method.rawValue), request.target, body: request.body)
    )
    return MessageResponse(status: answer.status, body: answer.body, requestID: answer.requestID)
  }

  func isTemporary(_ error: any Error) -> Bool { (error as? AuthError)?.isTemporary ?? false }
}

/// Group messages' live events come from the realtime service.
struct Events: EventStream {
  let client: RealtimeClient

  func events(group: String, after: UInt64) -> any AsyncSequence<GroupEvent, any Error> & Sendable {
    client.subscribe(groupID: group, afterSequence: after).map { event -> GroupEvent in
      switch event {
      case .typing(let user): .typing(UserID(user))
      case .gap(let after, let before): .gap(after: after, before: before)
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
      }
    }
  }
}
// README ends
