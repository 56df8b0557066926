import GroupMessages
import SessionModels
import Synchronization
import Testing

/// What the user does in an open timeline, and what is kept of it.
@Suite(.timeLimit(.minutes(10)))
struct TimelineActionTests {
  private let storage = InMemoryMessageStorage()
  private let clock = VirtualClock()

  private func messages(
    at server: ChatServer,
    typing: (any TypingSignals)? = nil
  ) -> GroupMessages {
    server.messages(keptIn: storage, typing: typing, clock: clock)
  }

  @Test func `what was written offline is shown at the next opening, and sent when it can be`()
    async throws
  {
    do {
      let timeline = messages(at: ChatServer { _, _ in .lost }).timeline(of: "demo")
      try await timeline.send("offline")
      let waiting = try await timeline.first { $0.unsentWaits != nil }
      #expect(waiting?.unsent.map(\.body) == ["offline"])
    }
    let gate = Gate()
    let server = ChatServer(newest: 2) { _, _ in .held(gate) }
    let timeline = messages(at: server).timeline(of: "demo")
    var snapshots = timeline.makeAsyncIterator()
    #expect(try await snapshots.next()?.unsent.map(\.body) == ["offline"])
    gate.open()
    let sent = try await timeline.first { $0.unsent.isEmpty && $0.messages.count == 3 }
    #expect(sent?.messages.last?.body == "offline")
  }

  @Test func `a refused message stays with what the server said, is sent again or discarded`()
    async throws
  {
    let server = ChatServer { request, index in
      request.method == .post && index < 2 ? .refused(403) : .answered
    }
    let timeline = messages(at: server).timeline(of: "demo")
    try await timeline.send("one")
    try await timeline.send("two")
    let failed = try await timeline.first { $0.unsent.filter { $0.state == .failed }.count == 2 }
    let unsent = try #require(failed?.unsent)
    #expect(unsent.map(\.refusal) == ["no", "no"])
    #expect(failed?.unsentWaits == nil)
    try await timeline.resend(unsent[1])
    try await timeline.discard(unsent[0])
    let done = try await timeline.first { $0.unsent.isEmpty && $0.messages.count == 1 }
    #expect(done?.messages.map(\.body) == ["two"])
  }

  @Test func `only the newest 200 are stored, and not at each message`() async throws {
    let server = ChatServer(newest: 1)
    let timeline = messages(at: server).timeline(of: "demo")
    _ = try await timeline.first { $0.status == .live && $0.me != nil }
    await server.listening.wait(for: 1)
    for number in 0..<300 { server.say("\(number)") }
    _ = try await timeline.first { $0.messages.count == 301 }
    await timeline.close()
    let next = messages(at: ChatServer { _, _ in .lost }).timeline(of: "demo")
    let cached = try await next.first { _ in true }
    #expect(cached?.messages.map(\.sequence) == Array(102...301))
  }

  @Test func `a store that holds nonsense keeps no group from opening`() async throws {
    let period = try #require(storage.period())
    try await storage.update("history/demo", in: period) { _ in .set(Array("nonsense".utf8)) }
    let timeline = messages(at: ChatServer(newest: 3)).timeline(of: "demo")
    let live = try await timeline.first { $0.status == .live }
    #expect(live?.messages.count == 3)
  }

  @Test func `callers that load earlier at once load one page`() async throws {
    let server = ChatServer(newest: 120)
    let timeline = messages(at: server).timeline(of: "demo")
    _ = try await timeline.first { $0.status == .live && $0.me != nil }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<10 { group.addTask { _ = try? await timeline.loadEarlier() } }
    }
    // However they fall together, no page is asked for twice.
    #expect(Set(server.historyTargets).count == server.historyTargets.count)
    let sequences = timeline.snapshot.messages.map(\.sequence)
    #expect(sequences == Array(sequences[0]...120))
    await #expect(throws: MessageError.self) { try await timeline.loadEarlier(limit: 0) }
  }

  @Test func `others are told of typing every 3 seconds, not with each key`() async throws {
    let told = Told()
    let timeline = messages(at: ChatServer(), typing: told).timeline(of: "demo")
    for _ in 0..<5 { await timeline.typing() }
    #expect(told.groups == ["demo"])
    clock.advance(by: .seconds(3))
    for _ in 0..<5 { await timeline.typing() }
    #expect(told.groups == ["demo", "demo"])
  }

  @Test func `two readers each get the latest, and a cancelled one gets nil`() async throws {
    let server = ChatServer(newest: 1)
    let timeline = messages(at: server).timeline(of: "demo")
    let readers = (0..<2).map { _ in
      Task { try await timeline.first { $0.messages.count == 2 }?.messages.count }
    }
    let impatient = Task { try await timeline.first { $0.messages.count == 3 }?.messages.count }
    await server.listening.wait(for: 1)
    server.say("hi")
    for reader in readers { #expect(try await reader.boundValue == 2) }
    impatient.cancel()
    #expect(try await impatient.boundValue == nil)
  }

  private final class Told: TypingSignals {
    private let log = Mutex<[String]>([])

    var groups: [String] { log.withLock { $0 } }

    func signalTyping(in group: String) async { log.withLock { $0.append(group) } }
  }
}
