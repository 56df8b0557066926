import SessionModels
import Testing

@testable import GroupMessages

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct TimelineMachineTests {
  private func cached(_ range: ClosedRange<UInt64>) -> [GroupMessage] { range.map { .fixture($0) } }

  @Test func `a hole between what is cached and the newest page is asked for exactly`() {
    var machine = TimelineMachine()
    machine.open(cached: cached(1...40), me: .me, unsent: [])
    machine.receive(newest: PlainHistory(newest: 100).page(.newest(50)))
    #expect(machine.bridge == HistoryQuery(uncheckedBefore: 51, limit: 10))
  }

  @Test(arguments: [(241, true), (242, false)] as [(UInt64, Bool)])
  func `a hole of 200 is filled, a wider one gives the cached messages up`(
    first: UInt64,
    isKept: Bool
  ) {
    var machine = TimelineMachine()
    machine.open(cached: cached(1...40), me: .me, unsent: [])
    machine.receive(newest: PlainHistory(newest: first + 49).page(.newest(50)))
    #expect((machine.bridge != nil) == isKept)
    #expect(machine.snapshot.messages.first?.sequence == (isKept ? 1 : first))
    #expect(machine.snapshot.hasEarlier == !isKept)
  }

  @Test func `a cache of another history is dropped: other ids, or more than the server has`() {
    let other = (1...40).map { number in
      GroupMessage(
        id: "of-another-history-\(number)",
        groupID: "demo",
        senderID: .other,
        clientMessageID: nil,
        body: "old",
        sequence: UInt64(number),
        sentAt: Date(timeIntervalSince1970: 0)
      )
    }
    for (cached, newest) in [(other, 45), (cached(1...40), 20)] as [([GroupMessage], UInt64)] {
      var machine = TimelineMachine()
      machine.open(cached: cached, me: .me, unsent: [])
      machine.receive(newest: PlainHistory(newest: newest).page(.newest(50)))
      #expect(machine.snapshot.messages == (1...newest).map { .fixture($0) })
    }
  }

  @Test func `a hole that the history does not fill is given up, and can be scrolled into`() {
    var machine = TimelineMachine()
    machine.open(cached: cached(1...40), me: .me, unsent: [])
    machine.receive(newest: PlainHistory(newest: 100).page(.newest(50)))
    machine.giveUpBridge()
    #expect(machine.bridge == nil)
    #expect(machine.snapshot.messages.first?.sequence == 51)
    #expect(machine.earlierQuery(limit: 50) == HistoryQuery(uncheckedBefore: 51, limit: 50))
  }

  @Test func `only what lies together is cached, and the newest of it`() {
    var machine = TimelineMachine()
    machine.receive(newest: PlainHistory(newest: 300).page(.newest(200)))
    #expect(machine.newestRun(200).map(\.sequence) == Array(101...300))
    machine.receive(.message(.fixture(305)), now: .zero)
    #expect(machine.newestRun(200).map(\.sequence) == [305])
    #expect(machine.newestRun(200).count == 1)
  }

  @Test func `where the reader goes back there is room, up to a bound`() throws {
    var machine = TimelineMachine()
    func page(before: UInt64) -> HistoryPage {
      HistoryPage(messages: (before - 200..<before).map { .fixture($0) }, hasMore: true)
    }
    machine.receive(newest: page(before: 30_001))
    var pages = 0
    while let query = machine.earlierQuery(limit: 200) {
      machine.receive(earlier: page(before: try #require(query.before)), for: query)
      pages += 1
    }
    #expect(pages == 99)
    #expect(machine.snapshot.messages.count == TimelineMachine.mostHeld)
    #expect(!machine.snapshot.hasEarlier)
  }

  /// The seed of a run that fails is its argument, and makes the same run again.
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `it equals a plain model, whatever comes in whatever order`(seed: UInt64) throws {
    var world = TimelineWorld(seed: seed)
    for _ in 0..<80 {
      world.doSomething()
      try world.check()
    }
    try world.settle()
  }
}

extension HistoryQuery {
  fileprivate static func newest(_ limit: Int) -> HistoryQuery {
    HistoryQuery(uncheckedBefore: nil, limit: limit)
  }
}

/// A group, those who write in it, and one who looks on.
private struct TimelineWorld {
  private var generator: SeededGenerator
  private var machine = TimelineMachine()
  /// What the server has, by sequence, the plain truth.
  private var server: [GroupMessage] = []
  /// Messages of the user's that wait, and those that were refused, as the store has them.
  private var unsent: [OwnSend] = []
  private var watched: UInt64 = 0
  private var written = 0
  private var now = Duration.zero
  private var isOpen = false

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    for _ in 0..<Int.random(in: 0...300, using: &generator) { say() }
    // Cached is any run of what was there once.
    let old = server.dropLast(Int.random(in: 0...server.count, using: &generator))
    let cached = Array(old.suffix(Int.random(in: 0...60, using: &generator)))
    machine.open(cached: cached, me: nil, unsent: [])
  }

  private mutating func say(_ own: OwnSend? = nil) {
    server.append(
      .fixture(
        UInt64(server.count) + 1,
        sender: own == nil ? .other : .me,
        clientMessageID: own?.clientMessageID
      )
    )
  }

  private func page(_ query: HistoryQuery, lag: Int = 0) -> HistoryPage {
    let before = query.before ?? .max
    let there = server.dropLast(lag).filter { $0.sequence < before }
    return HistoryPage(
      messages: there.suffix(query.limit),
      hasMore: there.count > query.limit
    )
  }

  mutating func doSomething() {
    now += .milliseconds(Int.random(in: 0...2000, using: &generator))
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: say()
    case 1: write()
    case 2: send()
    case 3: refuse()
    case 4: machine.identify(.me)
    case 5 where !isOpen: open()
    case 6 where isOpen: earlier()
    case 7: machine.receive(.typing(Bool.random(using: &generator) ? .other : .me), now: now)
    case 8: machine.expire(now: now)
    case 9 where isOpen: bridge()
    default: if isOpen { watch() }
    }
  }

  private mutating func open() {
    // The history may lag behind what the live stream knows.
    let newest = page(.newest(50), lag: min(server.count, Int.random(in: 0...2, using: &generator)))
    machine.receive(newest: newest)
    watched = newest.messages.last?.sequence ?? 0
    isOpen = true
  }

  private mutating func bridge() {
    guard let query = machine.bridge else { return }
    _ = machine.receive(page(query), for: query)
  }

  private mutating func earlier() {
    let limit = Int.random(in: 1...60, using: &generator)
    guard let query = machine.earlierQuery(limit: limit) else { return }
    machine.receive(earlier: page(query), for: query)
  }

  /// The watch brings what comes next; now and then it repeats itself.
  private mutating func watch() {
    guard watched < UInt64(server.count) else { return }
    if Int.random(in: 0..<5, using: &generator) > 0 { watched += 1 }
    if watched > 0 { machine.receive(.message(server[Int(watched) - 1]), now: now) }
  }

  private mutating func write() {
    written += 1
    unsent.append(
      OwnSend(
        clientMessageID: "c\(written)",
        body: "own \(written)",
        writtenAt: Date(timeIntervalSince1970: 0)
      )
    )
    machine.show(unsent)
  }

  private mutating func send() {
    guard let next = unsent.first(where: { $0.state == .sending }) else { return }
    say(next)
    // Answer and live event come in either order, and the answer may be lost.
    if Bool.random(using: &generator) {
      if let message = server.last { machine.receive(sent: message) }
    }
    unsent.removeAll { $0.id == next.id }
    if Bool.random(using: &generator) { machine.show(unsent) }
  }

  private mutating func refuse() {
    guard let place = unsent.firstIndex(where: { $0.state == .sending }) else { return }
    unsent[place].state = .failed
    machine.show(unsent)
  }

  /// What holds at any moment.
  func check() throws {
    let snapshot = machine.snapshot
    let sequences = snapshot.messages.map(\.sequence)
    try #require(zip(sequences, sequences.dropFirst()).allSatisfy { $0 < $1 })
    try #require(snapshot.messages.allSatisfy { server[Int($0.sequence) - 1] == $0 })
    try #require(snapshot.messages.count <= TimelineMachine.mostHeld)
    let held = Set(snapshot.messages.compactMap(\.clientMessageID))
    if snapshot.me != nil { try #require(snapshot.unsent.allSatisfy { !held.contains($0.id) }) }
    if let first = sequences.first, let last = sequences.last {
      let all = Set(sequences).union(snapshot.missing.flatMap { Array($0) })
      try #require((first...last).allSatisfy(all.contains), "a gap that nobody names")
      try #require(snapshot.missing.allSatisfy { $0.allSatisfy { !sequences.contains($0) } })
    }
    try #require(!snapshot.typing.contains(.me) || snapshot.me == nil)
  }

  /// When all has come there is nothing missing, nothing twice, and the newest is there.
  mutating func settle() throws {
    if !isOpen { open() }
    machine.identify(.me)
    while watched < UInt64(server.count) {
      watched += 1
      machine.receive(.message(server[Int(watched) - 1]), now: now)
    }
    var queries = 0
    while let query = machine.bridge {
      _ = machine.receive(page(query), for: query)
      queries += 1
      try #require(queries < 20, "it asks for ever")
    }
    machine.show(unsent)
    try check()
    let snapshot = machine.snapshot
    try #require(snapshot.missing.isEmpty)
    try #require(snapshot.messages.last == server.last)
    let sent = Set(server.compactMap(\.clientMessageID))
    try #require(snapshot.unsent.map(\.id) == unsent.map(\.id).filter { !sent.contains($0) })
    while let query = machine.earlierQuery(limit: 50) {
      machine.receive(earlier: page(query), for: query)
    }
    try #require(machine.snapshot.messages == server)
  }
}
