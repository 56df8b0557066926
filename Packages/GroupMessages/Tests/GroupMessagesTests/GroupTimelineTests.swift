import GroupMessages
import SessionModels
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
struct GroupTimelineTests {
  let storage = InMemoryMessageStorage()
  let clock = VirtualClock()

  func messages(
    at server: ChatServer,
    typing: (any TypingSignals)? = nil
  ) -> GroupMessages {
    server.messages(keptIn: storage, typing: typing, clock: clock)
  }

  @Test func `a group opens with one page, and knows whose messages are whose`() async throws {
    let server = ChatServer(newest: 10_000)
    let timeline = messages(at: server).timeline(of: "demo")
    let snapshot = try await timeline.first { $0.status == .live && $0.me != nil }
    #expect(snapshot?.messages.map(\.sequence) == Array(9951...10_000))
    #expect(snapshot?.hasEarlier == true)
    #expect(snapshot?.me == .me)
    #expect(server.historyTargets == ["/groups/demo/messages?limit=50"])
  }

  @Test func `what is cached comes at once, then what is new`() async throws {
    let first = ChatServer(newest: 60)
    let timeline = messages(at: first).timeline(of: "demo")
    _ = try await timeline.first { $0.status == .live && $0.me != nil }
    await timeline.close()

    // Nothing is answered before the gate opens, and yet there is something to see.
    let gate = Gate()
    let second = ChatServer(newest: 63) { _, _ in .held(gate) }
    let again = messages(at: second).timeline(of: "demo")
    var snapshots = again.makeAsyncIterator()
    let cached = try #require(try await snapshots.next())
    #expect(cached.status == .cached)
    #expect(cached.me == .me)
    #expect(cached.messages.map(\.sequence) == Array(11...60))
    gate.open()
    let live = try await again.first { $0.status == .live }
    #expect(live?.messages.map(\.sequence) == Array(11...63))
  }

  @Test func `offline it shows what is cached, says why it waits, and goes on by itself`()
    async throws
  {
    let timeline = messages(at: ChatServer(newest: 3)).timeline(of: "demo")
    _ = try await timeline.first { $0.status == .live && $0.me != nil }
    await timeline.close()

    let server = ChatServer(newest: 4) { _, index in index < 2 ? .lost : .answered }
    let again = messages(at: server).timeline(of: "demo")
    let waiting = try await again.first {
      if case .waiting = $0.status { true } else { false }
    }
    #expect(waiting?.messages.map(\.sequence) == [1, 2, 3])
    // The second try comes without any time passing, the third one when its time has come: not
    // before that wait has begun is time moved on.
    again.retryNow()
    await server.reads.wait(for: 2)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(60))
    let live = try await again.first { $0.messages.count == 4 }
    #expect(live?.status == .live)
  }

  @Test func `live messages follow, typing comes and goes`() async throws {
    let server = ChatServer(newest: 2)
    let timeline = messages(at: server).timeline(of: "demo")
    _ = try await timeline.first { $0.status == .live && $0.me != nil }
    await server.listening.wait(for: 1)
    server.tell(.typing(.other))
    server.tell(.typing(.me))
    let typing = try await timeline.first { !$0.typing.isEmpty }
    #expect(typing?.typing == [.other])
    server.say("hi")
    let live = try await timeline.first { $0.messages.count == 3 }
    #expect(live?.typing == [])
    server.tell(.typing(.other))
    _ = try await timeline.first { !$0.typing.isEmpty }
    // One waits for the next store, the other for the end of the typing.
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(6))
    _ = try await timeline.first { $0.typing.isEmpty }
  }

  @Test func `an own message is shown at once, last, and then in its place`() async throws {
    let gate = Gate()
    let server = ChatServer(newest: 2) { request, _ in
      request.method == .post ? .held(gate) : .answered
    }
    let timeline = messages(at: server).timeline(of: "demo")
    _ = try await timeline.first { $0.status == .live && $0.me != nil }
    let written = try await timeline.send("mine")
    let unsent = try await timeline.first { !$0.unsent.isEmpty }
    #expect(unsent?.unsent == [written])
    server.say("theirs")
    gate.open()
    let sent = try await timeline.first { $0.unsent.isEmpty && $0.messages.count == 4 }
    #expect(sent?.messages.suffix(2).map(\.body) == ["theirs", "mine"])
    #expect(sent?.messages.map { sent?.isMine($0) } == [false, false, false, true])
  }

  @Test func `scrolling up brings page after page, to the group's start`() async throws {
    let server = ChatServer(newest: 120)
    let timeline = messages(at: server).timeline(of: "demo")
    _ = try await timeline.first { $0.status == .live && $0.me != nil }
    #expect(try await timeline.loadEarlier())
    #expect(try await !timeline.loadEarlier())
    #expect(timeline.snapshot.messages.map(\.sequence) == Array(1...120))
    #expect(!timeline.snapshot.hasEarlier)
    #expect(try await !timeline.loadEarlier())
    #expect(server.historyTargets.count == 3)
  }

  @Test func `a reader that is slow gets the latest snapshot, and nothing piles up`() async throws {
    let server = ChatServer(newest: 1)
    let timeline = messages(at: server).timeline(of: "demo")
    var slow = timeline.makeAsyncIterator()
    _ = try await slow.next()
    _ = try await timeline.first { $0.status == .live && $0.me != nil }
    await server.listening.wait(for: 1)
    for number in 0..<5000 { server.say("\(number)") }
    _ = try await timeline.first { $0.messages.last?.sequence == 5001 }
    // One step from the first to the last of five thousand.
    let latest = try #require(try await slow.next())
    #expect(latest.messages.last?.sequence == 5001)
    #expect(latest.messages.count <= 1125)
    #expect(latest.hasEarlier)
    #expect(try await timeline.loadEarlier())
    let back = timeline.snapshot.messages.map(\.sequence)
    #expect(back == Array(back[0]...5001))
  }

  @Test(arguments: [nil, SessionPeriod(generation: 2)])
  func `R4: an open timeline ends with its session, and shows nothing to the next`(
    after: SessionPeriod?
  ) async throws {
    let server = ChatServer(newest: 3)
    let messages = messages(at: server)
    let timeline = messages.timeline(of: "demo")
    var reader = timeline.makeAsyncIterator()
    while let snapshot = try await reader.next(), snapshot.me == nil || snapshot.status != .live {}
    storage.begin(after)
    server.say("for the old account")
    var error: MessageError?
    do { while try await reader.next() != nil {} } catch let thrown { error = thrown }
    #expect(error?.code == "sessionChanged")
    #expect(timeline.snapshot.messages.isEmpty)

    let offline = self.messages(at: ChatServer { _, _ in .lost })
    let next = try await offline.timeline(of: "demo").first { $0.status != .cached }
    #expect(next?.messages == [])
    #expect(next?.me == nil)
  }

  @Test func `a group that is not there ends it`() async {
    let server = ChatServer { request, _ in
      request.path.hasPrefix("/groups/") ? .refused(404) : .answered
    }
    let timeline = messages(at: server).timeline(of: "demo")
    let error = await #expect(throws: MessageError.self) { for try await _ in timeline {} }
    #expect(error?.code == "notFound")
  }

  @Test func `dropping it ends the stream`() async throws {
    let server = ChatServer(newest: 3)
    do {
      let timeline = messages(at: server).timeline(of: "demo")
      _ = try await timeline.first { $0.status == .live && $0.me != nil }
      await server.listening.wait(for: 1)
    }
    await server.silence.wait(for: 1)
  }
}
