import GroupMessages
import SessionModels
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

@Suite(.timeLimit(.minutes(1)))
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
}
