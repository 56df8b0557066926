import GroupMessages
import SessionModels
import Testing

/// The example of README.md, so that it compiles and says the truth.
@Suite(.timeLimit(.minutes(10)))
struct ReadmeTests {
  @Test func `the README's example`() async throws {
    let session = ChatServer(newest: 2)
    let realtime = session
    let store = InMemoryMessageStorage()
    let typing = NobodyIsTold()
    var lines: [String] = []

    let messages = GroupMessages(
      requests: session,
      events: realtime,
      dialect: .skyConnect,
      storage: store,
      typing: typing
    )
    let timeline = messages.timeline(of: "general")
    try await timeline.send("Hello")
    for try await snapshot in timeline {
      lines = []
      for message in snapshot.messages {
        lines.append(
          (snapshot.isMine(message) ? "me:" : "\(message.senderID):") + " " + message.body
        )
      }
      for unsent in snapshot.unsent { lines.append("not sent yet: " + unsent.body) }
      if snapshot.status == .live, snapshot.unsent.isEmpty { break }
    }

    #expect(lines.last == "me: Hello" || lines.last == "user-1: Hello")
    #expect(lines.first == "user-2: text 1")
  }

  private struct NobodyIsTold: TypingSignals {
    func signalTyping(in group: String) async {}
  }
}
