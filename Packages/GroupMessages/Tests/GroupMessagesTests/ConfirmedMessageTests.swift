import SessionModels
import Testing

@testable import GroupMessages

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A message that was written is seen from then on, as unsent or as sent, whatever overtakes what.
@Suite(.timeLimit(.minutes(10)))
struct ConfirmedMessageTests {
  private let clock = VirtualClock()

  private static func texts(_ snapshot: TimelineSnapshot?) -> [String] {
    (snapshot?.messages.filter { $0.senderID == .me }.map(\.body) ?? [])
      + (snapshot?.unsent.map(\.body) ?? [])
  }

  @Test(arguments: [true, false])
  func `confirmed before the newest page, it is shown as being sent until that is there`(
    isKnown: Bool
  ) throws {
    let send = OwnSend(
      clientMessageID: "a",
      body: "Hello",
      writtenAt: Date(timeIntervalSince1970: 0)
    )
    let message = GroupMessage(
      id: "m4",
      groupID: "demo",
      senderID: .me,
      clientMessageID: "a",
      body: "Hello",
      sequence: 4,
      sentAt: Date(timeIntervalSince1970: 0)
    )
    var machine = TimelineMachine()
    machine.open(cached: [], me: isKnown ? .me : nil, unsent: [send])
    machine.receive(sent: message)
    machine.show([])
    #expect(machine.snapshot.unsent.map(\.clientMessageID) == ["a"])
    #expect(machine.snapshot.unsent.map(\.state) == [.sent])
    #expect(machine.snapshot.messages.isEmpty)
    // The page was read before the message was there.
    machine.receive(newest: try PlainHistory(newest: 3).page(HistoryQuery()))
    machine.identify(.me)
    #expect(machine.snapshot.unsent.isEmpty)
    #expect(machine.snapshot.messages.map(\.sequence) == [1, 2, 3, 4])
    machine.show([])
    #expect(machine.snapshot.messages.last?.body == "Hello")
  }

  @Test func `while the history cannot be read, what was sent is not shown as unsent`() async throws
  {
    let server = ChatServer { request, _ in
      request.path.hasSuffix("/messages") && request.method == .get ? .refused(503) : .answered
    }
    let messages = server.messages(keptIn: InMemoryMessageStorage(), clock: clock)
    let timeline = messages.timeline(of: "demo")
    let failing = try await timeline.first { if case .waiting = $0.status { true } else { false } }
    #expect(failing?.messages.isEmpty == true)
    try await timeline.send("Hello")
    let sent = try await timeline.first { $0.unsent.map(\.state) == [.sent] }
    #expect(Self.texts(sent) == ["Hello"])
    #expect(sent?.unsentWaits == nil)
    #expect(try messages.outbox.unsent().isEmpty)
    await timeline.close()
  }

  @Test func `once what failed is there, nothing is said to be waited for`() throws {
    var machine = TimelineMachine()
    machine.open(cached: [], me: nil, unsent: [])
    machine.wait(because: "no network")
    machine.identify(.me)
    #expect(machine.snapshot.status == .waiting("no network"))
    machine.receive(newest: try PlainHistory(newest: 3).page(HistoryQuery()))
    machine.wait(because: "no network")
    machine.identify(.me)
    #expect(machine.snapshot.status == .live)
  }

  @Test func `a page that was read before it was sent does not hide it`() async throws {
    let gate = Gate()
    let server = ChatServer(newest: 2) { request, _ in
      request.path.hasSuffix("/messages") && request.method == .get ? .answerHeld(gate) : .answered
    }
    let messages = server.messages(keptIn: InMemoryMessageStorage(), clock: clock)
    let timeline = messages.timeline(of: "demo")
    _ = try await timeline.first { $0.me != nil }
    await gate.waitForArrivals()
    let sending = Gate()
    _ = messages.outbox.observe { if case .sent = $0.event { sending.open() } }
    try await timeline.send("Hello")
    await sending.pass()
    #expect(Self.texts(timeline.snapshot) == ["Hello"])
    gate.open()
    let live = try await timeline.first { $0.status == .live }
    #expect(Self.texts(live) == ["Hello"])
    let sent = try await timeline.first { $0.unsent.isEmpty }
    #expect(Self.texts(sent) == ["Hello"])
  }

  @Test func `taken from the outbox and not told of yet, it is shown`() async throws {
    let (page, removal) = (Gate(), Gate())
    let server = ChatServer(newest: 2) { request, _ in
      request.path.hasSuffix("/messages") && request.method == .get ? .answerHeld(page) : .answered
    }
    let messages = server.messages(keptIn: HeldRemovalStorage(removal), clock: clock)
    let timeline = messages.timeline(of: "demo")
    _ = try await timeline.first { $0.me != nil }
    await page.waitForArrivals()
    try await timeline.send("Hello")
    await removal.waitForArrivals()
    page.open()
    let live = try await timeline.first { $0.status == .live }
    #expect(Self.texts(live) == ["Hello"])
    // Nothing is listened to before the unsent ones were read once more.
    await server.listening.wait(for: 1)
    #expect(Self.texts(timeline.snapshot) == ["Hello"])
    removal.open()
    let sent = try await timeline.first { $0.unsent.isEmpty }
    #expect(Self.texts(sent) == ["Hello"])
  }
}
