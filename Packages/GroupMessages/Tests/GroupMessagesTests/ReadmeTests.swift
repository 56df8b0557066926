import GroupMessages
import SessionModels
import Testing

/// The example of README.md, so that it compiles and says the truth.
@Suite(.timeLimit(.minutes(1)))
struct ReadmeTests {
  @Test func `the README's example`() async throws {
    let session = ScriptedRequests { request, _ in
      request.method == .post
        ? MessageResponse(
          201,
          #"{"id":1,"group_id":"demo","sender_id":"user-1","body":"Hello","sequence":8,"#
            + #""sent_at":"2026-04-17T10:00:00Z"}"#
        ) : ServerGroup(newest: 7).answer(request)
    }
    let realtime = ScriptedEvents()
    realtime.send(.message(.fixture(8, sender: .me, body: "Hello")))
    realtime.send(.typing(.other))
    realtime.send(.message(.fixture(9, body: "Hi")))
    realtime.finish()
    var lines: [String] = []

    let messages = GroupMessages(requests: session, events: realtime, dialect: .skyConnect)
    let page = try await messages.history(group: "demo")
    let sent = try await messages.send("Hello", to: "demo")
    for try await event in messages.watch(group: "demo", after: page.messages.last?.sequence) {
      guard case .message(let message) = event else { continue }
      let isMine = try await messages.currentUser.isMine(message)
      lines.append((isMine ? "me:" : "\(message.senderID):") + " " + message.body)
    }

    #expect(sent.sequence == 8)
    #expect(lines == ["me: Hello", "user-2: Hi"])
  }
}
