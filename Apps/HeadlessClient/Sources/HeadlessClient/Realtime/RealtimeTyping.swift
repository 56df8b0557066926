internal import GroupMessages
internal import Realtime

/// Tells others that the user is writing, over the realtime client.
struct RealtimeTyping: TypingSignals {
  private let client: RealtimeClient

  init(client: RealtimeClient) { self.client = client }

  func signalTyping(in group: String) async throws {
    try await client.signalTyping(groupID: group)
  }
}
