import GroupMessages
import SessionModels
import Synchronization
import Testing

/// Reads a watch one event at a time, as a view would.
private struct Reader {
  let events = ScriptedEvents()
  let clock = VirtualClock()
  let requests: ScriptedRequests
  let messages: GroupMessages

  init(_ answer: @escaping ScriptedRequests.Answer) {
    requests = ScriptedRequests(answer)
    messages = GroupMessages(
      requests: requests,
      events: events,
      dialect: .skyConnect,
      clock: clock,
      chance: { 1 }
    )
  }

  init(_ group: ServerGroup) { self.init { request, _ in group.answer(request) } }

  /// The next so many events in words.
  func read(_ count: Int, of watch: inout GroupWatch.AsyncIterator) async throws -> [String] {
    var read: [String] = []
    while read.count < count, let event = try await watch.next() { read.append(event.summary) }
    return read
  }
}

@Suite(.timeLimit(.minutes(10)))
struct GroupWatchTests {
  @Test func `without a sequence it begins with what comes next`() async throws {
    let reader = Reader(ServerGroup(newest: 7))
    var watch = reader.messages.watch(group: "demo").makeAsyncIterator()
    reader.events.send(8, 9)
    #expect(try await reader.read(2, of: &watch) == ["8", "9"])
    #expect(reader.events.subscriptions == ["demo 7"])
    #expect(reader.requests.historyTargets == ["/groups/demo/messages?limit=1"])
  }

  @Test func `an empty group begins with its first message`() async throws {
    let reader = Reader(ServerGroup(newest: 0))
    var watch = reader.messages.watch(group: "demo").makeAsyncIterator()
    reader.events.send(1)
    #expect(try await reader.read(1, of: &watch) == ["1"])
    #expect(reader.events.subscriptions == ["demo 0"])
  }

  @Test func `with a sequence it asks for no history`() async throws {
    let reader = Reader(ServerGroup(newest: 7))
    var watch = reader.messages.watch(group: "demo", after: 5).makeAsyncIterator()
    reader.events.send(6, 7)
    #expect(try await reader.read(2, of: &watch) == ["6", "7"])
    #expect(reader.events.subscriptions == ["demo 5"])
    #expect(reader.requests.historyTargets.isEmpty)
  }

  @Test func `the current user is known before the first message`() async throws {
    let reader = Reader(ServerGroup(newest: 7))
    var watch = reader.messages.watch(group: "demo").makeAsyncIterator()
    reader.events.send(8)
    _ = try await watch.next()
    #expect(reader.messages.currentUser.known == .me)
  }

  @Test func `nothing happens before the first event is asked for`() {
    let reader = Reader(ServerGroup(newest: 7))
    _ = reader.messages.watch(group: "demo").makeAsyncIterator()
    #expect(reader.requests.requests.isEmpty)
    #expect(reader.events.subscriptions.isEmpty)
  }

  @Test func `a hole is filled from the history after 5 seconds`() async throws {
    let reader = Reader(ServerGroup(newest: 12))
    let gate = Gate()
    let reading = Task {
      var watch = reader.messages.watch(group: "demo", after: 7).makeAsyncIterator()
      let first = try await reader.read(2, of: &watch)
      await gate.pass()
      return first + (try await reader.read(4, of: &watch))
    }
    reader.events.send(8, 12, 11)
    // Comes through at once, and says that the others have arrived.
    reader.events.send(.typing(.other))
    await gate.waitForArrivals()
    gate.open()
    await reader.clock.waitForSleepers()
    reader.clock.advance(by: .milliseconds(4999))
    #expect(reader.requests.historyTargets.isEmpty)
    reader.clock.advance(by: .milliseconds(1))
    #expect(try await reading.boundValue == ["8", "user-2 types", "9", "10", "11", "12"])
    #expect(reader.requests.historyTargets == ["/groups/demo/messages?before=11&limit=2"])
  }

  @Test func `a temporary failure before the start is waited out`() async throws {
    let reader = Reader { request, index in
      switch index {
      case 0: throw PortError()
      case 2: MessageResponse(503, "", retryAfter: .seconds(7))
      case 3: MessageResponse(200, "<html>sign in to the Wi-Fi</html>")
      default: ServerGroup(newest: 7).answer(request)
      }
    }
    let reading = Task {
      var watch = reader.messages.watch(group: "demo").makeAsyncIterator()
      return try await reader.read(1, of: &watch)
    }
    reader.events.send(8)
    for wait: Duration in [.seconds(1), .seconds(7), .seconds(2)] {
      await reader.clock.waitForSleepers()
      reader.clock.advance(by: wait)
    }
    #expect(try await reading.boundValue == ["8"])
    #expect(reader.requests.requests.count == 5)
  }

  @Test(arguments: [0, 1])
  func `a failure that stays ends it`(failing: Int) async {
    let reader = Reader { request, index in
      if index == failing { throw PortError(isTemporary: false) }
      return ServerGroup(newest: 7).answer(request)
    }
    var watch = reader.messages.watch(group: "demo").makeAsyncIterator()
    let error = await failure(of: &watch)
    #expect(error?.code == "underlying")
    #expect(reader.events.subscriptions.isEmpty)
  }

  @Test func `a group that is not there ends it`() async {
    let reader = Reader { request, _ in
      request.path == "/auth/me"
        ? MessageResponse(200, #"{"id":"user-1"}"#) : MessageResponse(404, "{}")
    }
    var watch = reader.messages.watch(group: "demo").makeAsyncIterator()
    #expect(await failure(of: &watch)?.code == "notFound")
  }

  @Test func `wrong input ends it before anything is sent`() async {
    let reader = Reader(ServerGroup(newest: 7))
    var watch = reader.messages.watch(group: "..", after: 1).makeAsyncIterator()
    #expect(await failure(of: &watch)?.code == "invalidInput")
    #expect(reader.requests.requests.isEmpty)
  }

  @Test func `what came before the stream's error is delivered, then the error`() async throws {
    let reader = Reader(ServerGroup(newest: 7))
    reader.events.send(8, 9)
    reader.events.finish(throwing: PortError(isTemporary: false))
    var watch = reader.messages.watch(group: "demo", after: 7).makeAsyncIterator()
    #expect(try await reader.read(2, of: &watch) == ["8", "9"])
    guard case .underlying(let error, _) = await failure(of: &watch) else {
      Issue.record("no error")
      return
    }
    #expect(error is PortError)
  }

  @Test func `a stream that ends is completed from the history, then the watch ends`() async throws
  {
    let reader = Reader(ServerGroup(newest: 9))
    reader.events.send(9)
    reader.events.finish()
    var watch = reader.messages.watch(group: "demo", after: 7).makeAsyncIterator()
    #expect(try await reader.read(9, of: &watch) == ["8", "9"])
    #expect(try await watch.next() == nil)
  }

  @Test func `cancelling the reader ends it without an error, and the stream too`() async throws {
    let reader = Reader(ServerGroup(newest: 7))
    let reading = Task {
      var watch = reader.messages.watch(group: "demo", after: 7).makeAsyncIterator()
      return try await reader.read(9, of: &watch)
    }
    await reader.events.waitForSubscription()
    reading.cancel()
    #expect(try await reading.boundValue == [])
    await reader.events.waitForTermination()
  }

  @Test func `leaving the loop ends the stream`() async throws {
    let reader = Reader(ServerGroup(newest: 7))
    reader.events.send(8, 9)
    for try await event in reader.messages.watch(group: "demo", after: 7) {
      #expect(event.summary == "8")
      break
    }
    await reader.events.waitForTermination()
  }

  @Test func `a reader that does not read holds the stream up`() async throws {
    let source = CountingEvents()
    let messages = GroupMessages(
      requests: ScriptedRequests { request, _ in ServerGroup(newest: 0).answer(request) },
      events: source,
      dialect: .skyConnect,
      clock: VirtualClock()
    )
    var watch = messages.watch(group: "demo", after: 0).makeAsyncIterator()
    for sequence: UInt64 in 1...500 {
      #expect(try await watch.next() == .message(.fixture(sequence)))
      // 16 lie in the mailbox, one is in the reading task's hand.
      #expect(source.produced <= sequence + 18)
    }
  }

  @Test func `two iterators are two watches`() async throws {
    let reader = Reader(ServerGroup(newest: 7))
    let watch = reader.messages.watch(group: "demo", after: 7)
    reader.events.send(8)
    var first = watch.makeAsyncIterator()
    #expect(try await first.next()?.summary == "8")
    reader.events.finish()
    var second = watch.makeAsyncIterator()
    #expect(try await second.next() == nil)
    #expect(reader.events.subscriptions == ["demo 7", "demo 7"])
  }

  private func failure(of watch: inout GroupWatch.AsyncIterator) async -> MessageError? {
    do throws(MessageError) {
      _ = try await watch.next()
      return nil
    } catch {
      return error
    }
  }
}

/// A stream without an end that counts how much was asked of it.
private final class CountingEvents: EventStream {
  private let count = Mutex<UInt64>(0)

  var produced: UInt64 { count.withLock { $0 } }

  func events(
    group: String,
    after: UInt64
  ) -> any AsyncSequence<GroupEvent, any Error> & Sendable {
    AsyncThrowingStream { [self] in
      let sequence = count.withLock { count in
        count += 1
        return count
      }
      return .message(.fixture(sequence))
    }
  }
}
