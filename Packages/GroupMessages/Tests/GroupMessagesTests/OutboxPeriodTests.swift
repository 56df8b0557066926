import SessionModels
import Testing

@testable import GroupMessages

/// R4: what is written, sent and told in one signed-in period is no affair of the next one's.
@Suite(.timeLimit(.minutes(10)))
struct OutboxPeriodTests {
  private let clock = VirtualClock()
  private let next = SessionPeriod(generation: 2)

  @Test func `what becomes of an old message is not told to who waits for a new one`() async throws
  {
    let (answer, removal) = (Gate(), Gate())
    let storage = HeldRemovalStorage(removal, before: true)
    let server = ChatServer { _, index in index == 1 ? .held(answer) : .answered }
    let messages = server.messages(keptIn: storage, clock: clock)
    let told = Gate()
    _ = messages.outbox.observe { if case .waiting(.sessionChanged) = $0.event { told.open() } }
    try await messages.outbox.write("mine", to: "demo")
    await removal.waitForArrivals()

    storage.begin(next)
    let sending = Task { try await messages.outbox.send("the next user's", to: "demo") }
    await answer.waitForArrivals()
    removal.open()
    await told.pass()
    answer.open()
    #expect(try await sending.value.body == "the next user's")
  }

  @Test func `what becomes of an old message is not told to a new timeline`() async throws {
    let (answer, removal) = (Gate(), Gate())
    let storage = HeldRemovalStorage(removal, before: true)
    let server = ChatServer { request, index in
      request.method == .post && index == 1 ? .held(answer) : .answered
    }
    let messages = server.messages(keptIn: storage, clock: clock)
    try await messages.outbox.write("mine", to: "demo")
    await removal.waitForArrivals()

    storage.begin(next)
    let timeline = messages.timeline(of: "demo")
    _ = try await timeline.first { $0.status == .live }
    try await timeline.send("the next user's")
    await answer.waitForArrivals()
    let told = Gate()
    _ = messages.outbox.observe { if case .waiting(.sessionChanged) = $0.event { told.open() } }
    removal.open()
    await told.pass()
    #expect(timeline.snapshot.unsent.map(\.body) == ["the next user's"])
    #expect(timeline.snapshot.unsentWaits == nil)
    answer.open()
    await timeline.close()
  }

  @Test(arguments: ["demo", "other"])
  func `whoever waits for a send hears that another user has signed in`(group: String) async throws
  {
    let storage = InMemoryMessageStorage()
    let gate = Gate()
    let server = ChatServer { _, index in index == 0 ? .held(gate) : .answered }
    let messages = server.messages(keptIn: storage, clock: clock)
    let sending = Task { try await messages.outbox.send("mine", to: "demo") }
    await gate.waitForArrivals()

    storage.begin(next)
    let sent = try await messages.outbox.send("the next user's", to: group)
    #expect(sent.body == "the next user's")
    let error = await #expect(throws: MessageError.self) { try await sending.value }
    #expect(error?.code == "sessionChanged")
    gate.open()
  }

  @Test func `what is written into an old timeline is not taken for the next user's`() async throws
  {
    let storage = InMemoryMessageStorage()
    let server = ChatServer()
    let messages = server.messages(keptIn: storage, clock: clock)
    let timeline = messages.timeline(of: "demo")
    _ = try await timeline.first { $0.status == .live }

    storage.begin(next)
    let error = await #expect(throws: MessageError.self) { try await timeline.send("mine") }
    #expect(error?.code == "sessionChanged")
    #expect(try messages.outbox.unsent().isEmpty)
    #expect(server.mine.isEmpty)
  }
}
