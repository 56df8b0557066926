import SessionModels
import Testing

@testable import GroupMessages

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct MessageTimelineTests {
  @Test func `an empty timeline asks for the newest page`() throws {
    #expect(MessageTimeline(me: .me).nextQuery() == (try HistoryQuery()))
  }

  @Test func `an empty group asks once`() {
    var timeline = MessageTimeline(me: .me)
    timeline.insert(HistoryPage(messages: [], hasMore: false))
    #expect(timeline.nextQuery() == nil)
    #expect(timeline.earlierQuery() == nil)
    #expect(timeline.reachesStart)
  }

  @Test func `of two messages with one sequence the first stays`() {
    var timeline = MessageTimeline(me: .me)
    let news = ["first", "second"].map { timeline.insert(.fixture(3, body: $0)) }
    #expect(news == [true, false])
    #expect(timeline.messages.map(\.body) == ["first"])
  }

  @Test(arguments: [0, UInt64(Int64.max) + 1, UInt64.max])
  func `a sequence that cannot be is left out`(sequence: UInt64) {
    var timeline = MessageTimeline(me: .me)
    let isNew = timeline.insert(.fixture(sequence))
    #expect(!isNew)
    timeline.insert(HistoryPage(messages: [.fixture(sequence)], hasMore: true), before: sequence)
    #expect(timeline.messages.isEmpty)
    #expect(timeline.missing.isEmpty)
  }

  @Test func `a hole is asked for exactly`() {
    var timeline = MessageTimeline(me: .me)
    for sequence: UInt64 in [10, 11, 15] { timeline.insert(.fixture(sequence)) }
    #expect(timeline.missing == [12...14])
    #expect(timeline.nextQuery() == HistoryQuery(uncheckedBefore: 15, limit: 3))
    #expect(timeline.nextQuery(limit: 2) == HistoryQuery(uncheckedBefore: 15, limit: 2))
  }

  @Test func `a reported gap is missing though nothing above it is held`() {
    var timeline = MessageTimeline(me: .me)
    timeline.insert(.fixture(4))
    timeline.noteExisting(through: 6)
    #expect(timeline.missing == [5...6])
  }

  @Test func `what is older than everything held is asked for by scrolling only`() {
    var timeline = MessageTimeline(me: .me)
    timeline.insert(.fixture(4))
    #expect(timeline.nextQuery() == nil)
    #expect(timeline.earlierQuery() == HistoryQuery(uncheckedBefore: 4, limit: 50))
  }

  @Test func `a history that lags behind is asked again`() throws {
    var timeline = MessageTimeline(me: .me)
    timeline.insert(PlainHistory(newest: 3).page(try HistoryQuery()))
    timeline.insert(.fixture(6))
    let query = try #require(timeline.nextQuery())
    timeline.insert(PlainHistory(newest: 4).page(query), before: query.before)
    #expect(timeline.missing == [5...5])
    let again = try #require(timeline.nextQuery())
    timeline.insert(PlainHistory(newest: 6).page(again), before: again.before)
    #expect(timeline.messages.map(\.sequence) == [1, 2, 3, 4, 5, 6])
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `it equals a plain model, whatever the order of pages and events`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let history = PlainHistory(newest: UInt64.random(in: 1...80, using: &generator))
    var timeline = MessageTimeline(me: .me)
    var held: Set<UInt64> = []
    for _ in 0..<30 {
      if Bool.random(using: &generator) {
        let sequence = UInt64.random(in: 1...history.newest, using: &generator)
        let isNew = timeline.insert(.fixture(sequence))
        #expect(isNew == !held.contains(sequence))
        held.insert(sequence)
      } else {
        let query = try randomQuery(newest: history.newest, using: &generator)
        let page = history.page(query)
        timeline.insert(page, before: query.before)
        held.formUnion(page.messages.map(\.sequence))
      }
      #expect(timeline.messages.map(\.sequence) == held.sorted())
      let span = held.min().flatMap { low in held.max().map { low...$0 } }
      let missing = span.map { $0.filter { !held.contains($0) } } ?? []
      #expect(timeline.missing.flatMap { Array($0) } == missing)
    }
    while let query = timeline.nextQuery(limit: Int.random(in: 1...9, using: &generator)) {
      let page = history.page(query)
      // Exactly what is missing: everything that comes is new.
      try #require(!page.messages.isEmpty)
      #expect(page.messages.allSatisfy { !held.contains($0.sequence) })
      held.formUnion(page.messages.map(\.sequence))
      timeline.insert(page, before: query.before)
      try #require(timeline.messages.map(\.sequence) == held.sorted())
    }
    #expect(timeline.missing.isEmpty)
  }

  @Test(arguments: 100..<140 as Range<UInt64>)
  func `what the history has lost is asked for a bounded number of times`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let lost = (0..<20).map { _ in UInt64.random(in: 1...59, using: &generator) }
    let history = PlainHistory(newest: 60, lost: Set(lost))
    var timeline = MessageTimeline(me: .me)
    var queries = 0
    timeline.insert(.fixture(60))
    timeline.insert(history.page(try HistoryQuery(limit: 1)))
    while let query = timeline.nextQuery(limit: 7) ?? timeline.earlierQuery(limit: 7) {
      timeline.insert(history.page(query), before: query.before)
      queries += 1
      try #require(queries <= 60)
    }
    #expect(timeline.messages.map(\.sequence) == (1...60).filter { !history.lost.contains($0) })
  }

  private func randomQuery(
    newest: UInt64,
    using generator: inout SeededGenerator
  ) throws -> HistoryQuery {
    try HistoryQuery(
      before: Int.random(in: 0..<5, using: &generator) == 0
        ? nil : UInt64.random(in: 1...(newest + 3), using: &generator),
      limit: Int.random(in: 1...20, using: &generator)
    )
  }
}

@Suite struct OwnSendTests {
  private let hello = OwnSend(
    clientMessageID: "a",
    body: "hello",
    writtenAt: Date(timeIntervalSince1970: 0)
  )

  @Test func `a confirmed send gives way to its message, wherever that comes from`() {
    var live = MessageTimeline(me: .me)
    live.write(hello)
    live.insert(.fixture(9, sender: .me, clientMessageID: "a"))
    #expect(live.sends.isEmpty)

    var paged = MessageTimeline(me: .me)
    paged.write(hello)
    let message = GroupMessage.fixture(9, sender: .me, clientMessageID: "a")
    paged.insert(HistoryPage(messages: [message], hasMore: true))
    #expect(paged.sends.isEmpty)
  }

  @Test func `another user's message confirms nothing`() {
    var timeline = MessageTimeline(me: .me)
    timeline.write(hello)
    timeline.insert(.fixture(9, sender: .other, clientMessageID: "a"))
    #expect(timeline.sends == [hello])
  }

  @Test func `what is shown or confirmed is not shown twice`() {
    var timeline = MessageTimeline(me: .me)
    timeline.write(hello)
    timeline.write(hello)
    #expect(timeline.sends.count == 1)
    timeline.insert(.fixture(9, sender: .me, clientMessageID: "a"))
    timeline.write(hello)
    #expect(timeline.sends.isEmpty)
  }

  @Test func `a failed send stays in its place until it is sent again or discarded`() {
    var timeline = MessageTimeline(me: .me)
    timeline.write(hello)
    timeline.write(OwnSend(clientMessageID: "b", body: "there", writtenAt: hello.writtenAt))
    timeline.markFailed(clientMessageID: "a")
    timeline.markFailed(clientMessageID: "unknown")
    #expect(timeline.sends.map(\.state) == [.failed, .sending])
    timeline.markSending(clientMessageID: "a")
    #expect(timeline.sends.map(\.state) == [.sending, .sending])
    timeline.discard(clientMessageID: "a")
    #expect(timeline.sends.map(\.id) == ["b"])
  }

  @Test func `no description shows the text`() {
    let message = GroupMessage.fixture(3, body: "between us")
    let send = OwnSend(clientMessageID: "a", body: "between us", writtenAt: hello.writtenAt)
    let event = GroupEvent.message(message)
    for text in [
      "\(message)", String(reflecting: message), "\(send)", String(reflecting: send),
      "\(event)", String(reflecting: [event]),
    ] {
      #expect(!text.contains("between us"))
    }
  }
}
