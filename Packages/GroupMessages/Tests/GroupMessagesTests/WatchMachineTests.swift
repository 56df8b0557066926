import Testing

@testable import GroupMessages

@Suite struct WatchMachineTests {
  @Test func `what comes in order is delivered at once`() {
    var machine = WatchMachine(after: 4)
    machine.receive(.message(.fixture(5)), now: .zero)
    machine.receive(.message(.fixture(6)), now: .zero)
    #expect(machine.deliveries(now: .zero) == ["5", "6"])
    #expect(machine.step(now: .zero) == .wait(until: nil))
  }

  @Test func `what came already is dropped`() {
    var machine = WatchMachine(after: 4)
    for sequence: UInt64 in [4, 3, 5, 5, 0, .max] {
      machine.receive(.message(.fixture(sequence)), now: .zero)
    }
    #expect(machine.deliveries(now: .zero) == ["5"])
    #expect(machine.step(now: .zero) == .wait(until: nil))
  }

  @Test func `a hole that the stream fills in time needs no history`() {
    var machine = WatchMachine(after: 4)
    machine.receive(.message(.fixture(7)), now: .seconds(1))
    machine.receive(.message(.fixture(6)), now: .seconds(2))
    #expect(machine.step(now: .seconds(2)) == .wait(until: .seconds(6)))
    machine.receive(.message(.fixture(5)), now: .seconds(5))
    #expect(machine.deliveries(now: .seconds(5)) == ["5", "6", "7"])
  }

  @Test func `a hole that is 5 seconds old is asked for, exactly`() {
    var machine = WatchMachine(after: 4)
    machine.receive(.message(.fixture(8)), now: .seconds(1))
    #expect(machine.step(now: .seconds(6)) == .fetch(HistoryQuery(uncheckedBefore: 8, limit: 3)))
  }

  @Test func `each hole has its own 5 seconds`() {
    var machine = WatchMachine(after: 4)
    machine.receive(.message(.fixture(6)), now: .seconds(0))
    machine.receive(.message(.fixture(8)), now: .seconds(3))
    machine.receive(.message(.fixture(5)), now: .seconds(4))
    #expect(machine.deliveries(now: .seconds(4)) == ["5", "6"])
    #expect(machine.step(now: .seconds(4)) == .wait(until: .seconds(8)))
  }

  @Test func `a wide hole is fetched from its oldest end, a page at a time`() {
    var machine = WatchMachine(after: 0)
    let history = PlainHistory(newest: 500)
    machine.receive(.message(.fixture(500)), now: .zero)
    var delivered: [String] = []
    for before: UInt64 in [201, 401, 500] {
      let query = HistoryQuery(uncheckedBefore: before, limit: before == 500 ? 99 : 200)
      #expect(machine.step(now: .seconds(5)) == .fetch(query))
      machine.filled(history.page(query), for: query, now: .seconds(5))
      delivered += machine.deliveries(now: .seconds(5))
    }
    #expect(delivered == (1...500).map { "\($0)" })
  }

  @Test func `a gap that the stream reports is filled, though nothing follows it`() {
    var machine = WatchMachine(after: 4)
    machine.receive(.gap(after: 4, before: 7), now: .zero)
    #expect(machine.step(now: .zero) == .wait(until: .seconds(5)))
    #expect(machine.step(now: .seconds(5)) == .fetch(HistoryQuery(uncheckedBefore: 7, limit: 2)))
    machine.receive(.message(.fixture(5)), now: .seconds(5))
    machine.receive(.message(.fixture(6)), now: .seconds(5))
    #expect(machine.deliveries(now: .seconds(5)) == ["5", "6"])
    #expect(machine.step(now: .seconds(9)) == .wait(until: nil))
  }

  @Test(arguments: [(7, 4), (4, 4), (0, 0), (1, 5), (4, 5)] as [(UInt64, UInt64)])
  func `a report of nothing new changes nothing`(after: UInt64, before: UInt64) {
    var machine = WatchMachine(after: 4)
    machine.receive(.gap(after: after, before: before), now: .zero)
    #expect(machine.step(now: .seconds(9)) == .wait(until: nil))
  }

  @Test func `a report that ends nowhere does no harm`() {
    var machine = WatchMachine(after: 4)
    machine.receive(.gap(after: 4, before: .max), now: .zero)
    #expect(
      machine.step(now: .seconds(5)) == .fetch(HistoryQuery(uncheckedBefore: 205, limit: 200))
    )
  }

  @Test func `typing does not wait for a hole`() {
    var machine = WatchMachine(after: 4)
    machine.receive(.message(.fixture(6)), now: .zero)
    machine.receive(.typing(.other), now: .zero)
    #expect(machine.deliveries(now: .zero) == ["user-2 types"])
  }

  @Test func `a history that fails is asked again later and later`() {
    var machine = WatchMachine(after: 4)
    machine.receive(.message(.fixture(6)), now: .zero)
    var now = Duration.seconds(5)
    for wait in [1, 2, 4, 8, 16, 30, 30] {
      machine.fillFailed(retryAfter: nil, chance: 1, now: now)
      #expect(machine.step(now: now) == .wait(until: now + .seconds(wait)))
      now += .seconds(wait)
      #expect(machine.step(now: now) == .fetch(HistoryQuery(uncheckedBefore: 6, limit: 1)))
    }
    machine.fillFailed(retryAfter: .seconds(99), chance: 1, now: now)
    #expect(machine.step(now: now) == .wait(until: now + .seconds(99)))
  }

  @Test func `what the history does not have after three tries is reported and left`() {
    var machine = WatchMachine(after: 4)
    let query = HistoryQuery(uncheckedBefore: 6, limit: 1)
    machine.receive(.message(.fixture(6)), now: .zero)
    for now: Duration in [.seconds(5), .seconds(10)] {
      #expect(machine.step(now: now) == .fetch(query))
      machine.filled(HistoryPage(messages: [.fixture(4)], hasMore: true), for: query, now: now)
      #expect(machine.step(now: now) == .wait(until: now + .seconds(5)))
    }
    machine.filled(HistoryPage(messages: [], hasMore: false), for: query, now: .seconds(15))
    #expect(machine.deliveries(now: .seconds(15)) == ["gap 4-6", "6"])
  }

  @Test func `a thousand held messages are enough to ask, and to stop reading`() {
    var machine = WatchMachine(after: 0)
    for sequence: UInt64 in 2...1001 { machine.receive(.message(.fixture(sequence)), now: .zero) }
    let query = HistoryQuery(uncheckedBefore: 2, limit: 1)
    #expect(machine.step(now: .zero) == .fetch(query))
    machine.fillFailed(retryAfter: nil, chance: 1, now: .zero)
    #expect(machine.step(now: .zero) == .pause(until: .seconds(1)))
  }

  @Test func `when nothing comes any more a hole is asked for at once`() {
    var machine = WatchMachine(after: 4)
    machine.receive(.message(.fixture(6)), now: .zero)
    machine.streamDidEnd()
    #expect(machine.step(now: .zero) == .fetch(HistoryQuery(uncheckedBefore: 6, limit: 1)))
  }

  @Test(arguments: 0..<80 as Range<UInt64>)
  func `each sequence comes once and in order, whatever the stream does`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let newest = UInt64.random(in: 1...120, using: &generator)
    let history = PlainHistory(newest: newest)
    let start = UInt64.random(in: 0..<newest, using: &generator)
    var machine = WatchMachine(after: start)
    var stream = shuffled((1...newest).map { $0 }, using: &generator)
    var now = Duration.zero
    var delivered: [String] = []
    var steps = 0
    while delivered.count < newest - start {
      steps += 1
      try #require(steps < 5000, "delivers \(delivered) for ever")
      now += .milliseconds(Int.random(in: 0...900, using: &generator))
      switch machine.step(now: now) {
      case .deliver(let event): delivered.append(event.summary)
      case .fetch(let query):
        if Int.random(in: 0..<3, using: &generator) == 0 {
          machine.fillFailed(retryAfter: nil, chance: 0.5, now: now)
        } else {
          machine.filled(history.page(query), for: query, now: now)
        }
      case .pause(let deadline): now = deadline
      case .wait(let deadline):
        if let event = stream.popLast() {
          machine.receive(event, now: now)
        } else {
          now = try #require(deadline, "waits for ever after \(delivered)")
        }
      }
    }
    #expect(delivered == ((start + 1)...newest).map { "\($0)" })
  }

  /// A stream that drops, repeats and swaps, and whose last event tells of everything before.
  private func shuffled(
    _ sequences: [UInt64],
    using generator: inout SeededGenerator
  ) -> [GroupEvent] {
    var events: [GroupEvent] = []
    for sequence in sequences {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: break
      case 1: events += [.message(.fixture(sequence)), .message(.fixture(sequence))]
      case 2: events.insert(.message(.fixture(sequence)), at: max(0, events.count - 3))
      case 3: events.append(.gap(after: sequence - 1, before: sequence + 1))
      default: events.append(.message(.fixture(sequence)))
      }
    }
    events.append(.gap(after: 0, before: UInt64(sequences.count) + 1))
    return events.reversed()
  }
}

extension WatchMachine {
  /// Everything that is to be delivered now, in words.
  fileprivate mutating func deliveries(now: Duration) -> [String] {
    var summaries: [String] = []
    while case .deliver(let event) = step(now: now) { summaries.append(event.summary) }
    return summaries
  }
}
