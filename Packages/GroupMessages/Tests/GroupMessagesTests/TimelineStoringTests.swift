import GroupMessages
import SessionModels
import Testing

/// In which order an open timeline stores what it shows, and who waits for it.
@Suite(.timeLimit(.minutes(10)))
struct TimelineStoringTests {
  private func messages(at server: ChatServer, _ storage: GatedStorage) -> GroupMessages {
    server.messages(keptIn: storage, clock: VirtualClock())
  }

  /// Gives all that can go on now the occasion to do so.
  private func letOthersGoOn() async {
    for _ in 0..<1000 { await Task.yield() }
  }

  /// How many writes are under way when closing has returned.
  private func leftAfterClosing(_ timeline: GroupTimeline, _ storage: GatedStorage) async -> Int {
    await timeline.close()
    return storage.underWay
  }

  @Test(arguments: [0, 1])
  func `stores never overtake each other, and closing waits for each`(held: Int) async throws {
    let gate = Gate()
    let storage = GatedStorage(holding: held, at: gate)
    let server = ChatServer(newest: 1)
    let timeline = messages(at: server, storage).timeline(of: "demo")
    _ = try await timeline.first { $0.status == .live && $0.me != nil }
    await server.listening.wait(for: 1)
    // What the first store has is the first message alone, whether it lands now or later.
    if held == 0 { await gate.waitForArrivals() } else { await storage.landed.wait(for: 1) }
    server.say("two")
    _ = try await timeline.first { $0.messages.count == 2 }
    // The stream's end is another one's reason to store, beside closing.
    server.hangUp()
    #expect(try await timeline.first { _ in false } == nil)
    await gate.waitForArrivals()
    await letOthersGoOn()

    async let left = leftAfterClosing(timeline, storage)
    await letOthersGoOn()
    gate.open()
    #expect(await left == 0)
    #expect(storage.mostAtOnce == 1)
    let next = messages(at: ChatServer { _, _ in .lost }, storage).timeline(of: "demo")
    #expect(try await next.first { _ in true }?.messages.map(\.sequence) == [1, 2])
  }

  @Test func `what a dropped timeline has yet to store does not replace what the next one stores`()
    async throws
  {
    let gate = Gate()
    let storage = GatedStorage(holding: 0, at: gate)
    let server = ChatServer(newest: 1)
    let messages = messages(at: server, storage)
    do {
      let timeline = messages.timeline(of: "demo")
      _ = try await timeline.first { $0.status == .live && $0.me != nil }
      await gate.waitForArrivals()
    }
    server.say("two")
    let timeline = messages.timeline(of: "demo")
    _ = try await timeline.first { $0.status == .live && $0.messages.count == 2 }
    async let left = leftAfterClosing(timeline, storage)
    await letOthersGoOn()
    gate.open()
    #expect(await left == 0)
    #expect(storage.mostAtOnce == 1)
    let next = self.messages(at: ChatServer { _, _ in .lost }, storage).timeline(of: "demo")
    #expect(try await next.first { _ in true }?.messages.map(\.sequence) == [1, 2])
  }
}
