internal import SessionModels

/// What an open timeline shows and asks for: the core of ``GroupTimeline``, without clock,
/// network, store or lock.
struct TimelineMachine: Sendable {
  /// How many messages are kept of those that come by themselves.
  static let window = 1000
  /// The most messages that are kept, however far the reader goes back.
  static let mostHeld = 20_000
  /// The widest hole between what was cached and the newest page that is filled.
  ///
  /// A wider one would make opening a group as long as its history; what was cached is dropped
  /// instead.
  static let widestBridge: UInt64 = 200
  /// How long somebody is writing after the last signal of it.
  static let typingTime = Duration.seconds(6)
  /// The most who are shown as writing.
  static let mostTypers = 16

  private var timeline = MessageTimeline()
  private var status = TimelineSnapshot.Status.cached
  private var unsentWaits: String?
  private var typers: [(user: UserID, until: Duration)] = []
  /// How many messages may be kept: more than the window once the reader has gone back.
  private var room = window
  private var isUpToDate = false
  /// What the server confirmed before the newest page was there: shown as an own send until then.
  private var early: [GroupMessage] = []

  var hasNewestPage: Bool { isUpToDate }

  /// The highest sequence that is known to exist.
  var newestKnown: UInt64 { timeline.newestKnown }

  /// Takes in what is cached, before anything else.
  mutating func open(cached: [GroupMessage], me: UserID?, unsent: [OwnSend]) {
    if let me { timeline.identify(me) }
    if let last = cached.last {
      timeline.insert(HistoryPage(messages: cached, hasMore: true), before: last.sequence + 1)
    }
    timeline.show(unsent)
  }

  mutating func identify(_ me: UserID) {
    timeline.identify(me)
    typers.removeAll { $0.user == me }
    recovered()
  }

  /// Takes in the newest page, which is the truth: what is cached stays only where it agrees.
  mutating func receive(newest page: HistoryPage) {
    if !agrees(page) {
      var fresh = MessageTimeline(me: timeline.me)
      fresh.show(timeline.sends)
      timeline = fresh
    }
    timeline.insert(page)
    // The page may have been read before they were there.
    for message in early { timeline.insert(message) }
    early = []
    isUpToDate = true
    status = .live
  }

  /// Whether the cached messages and a newest page can be of one history, and lie close enough.
  private func agrees(_ page: HistoryPage) -> Bool {
    guard let cached = timeline.messages.last else { return true }
    guard let first = page.messages.first, let last = page.messages.last,
      last.sequence >= cached.sequence
    else { return false }
    if first.sequence > cached.sequence {
      return first.sequence - cached.sequence - 1 <= TimelineMachine.widestBridge
    }
    let held = Dictionary(
      timeline.messages.map { ($0.sequence, $0.id) },
      uniquingKeysWith: { first, _ in first }
    )
    return page.messages.allSatisfy { held[$0.sequence] ?? $0.id == $0.id }
  }

  /// What to ask for so that nothing is missing between what is shown; nil where nothing is.
  var bridge: HistoryQuery? {
    isUpToDate && !timeline.messages.isEmpty
      ? timeline.nextQuery(limit: HistoryQuery.limits.upperBound) : nil
  }

  /// Takes in the answer to ``bridge``.
  ///
  /// - Returns: whether it has brought anything.
  mutating func receive(_ page: HistoryPage, for query: HistoryQuery) -> Bool {
    let before = timeline.missing
    timeline.insert(page, before: query.before)
    recovered()
    return timeline.missing != before
  }

  /// Drops everything below the newest hole, which the history does not fill.
  mutating func giveUpBridge() {
    guard let hole = timeline.missing.last else { return }
    timeline.keepNewest(timeline.messages.count { $0.sequence > hole.upperBound })
  }

  /// What to ask for where the reader goes back; nil at the group's start, or where there is no
  /// more room.
  func earlierQuery(limit: Int) -> HistoryQuery? {
    guard timeline.messages.count < TimelineMachine.mostHeld else { return nil }
    return timeline.earlierQuery(limit: limit)
  }

  /// Takes in the answer to ``earlierQuery(limit:)``.
  mutating func receive(earlier page: HistoryPage, for query: HistoryQuery) {
    let count = timeline.messages.count
    timeline.insert(page, before: query.before)
    // Room for what the reader has asked for, beside what comes by itself.
    room = min(
      max(room, timeline.messages.count) + (timeline.messages.count - count),
      TimelineMachine.mostHeld
    )
  }

  /// Takes in what happens in the group.
  mutating func receive(_ event: GroupEvent, now: Duration) {
    status = .live
    switch event {
    case .message(let message):
      timeline.insert(message)
      makeRoom()
      // Who has sent it has written it.
      typers.removeAll { $0.user == message.senderID }
    case .typing(let user):
      guard user != timeline.me else { return }
      let until = now + TimelineMachine.typingTime
      if let place = typers.firstIndex(where: { $0.user == user }) {
        typers[place].until = until
      } else if typers.count < TimelineMachine.mostTypers {
        typers.append((user, until))
      }
    case .gap(_, let before):
      if before > 1 { timeline.noteExisting(through: before - 1) }
    }
  }

  /// Takes in a message that the server has confirmed.
  mutating func receive(sent message: GroupMessage) {
    // Before the newest page it would say nothing of what lies below it.
    guard isUpToDate else {
      if let id = message.clientMessageID { timeline.markSent(clientMessageID: id) }
      return early.append(message)
    }
    timeline.insert(message)
    makeRoom()
  }

  /// Drops the oldest messages beyond the room, some at a time: each drop moves all that stay.
  private mutating func makeRoom() {
    if timeline.messages.count > room + room / 8 { timeline.keepNewest(room) }
  }

  /// Takes in the unsent messages as they are stored now.
  mutating func show(_ unsent: [OwnSend]) {
    let confirmed = Set(early.compactMap(\.clientMessageID))
    let held = timeline.sends.filter { confirmed.contains($0.clientMessageID) }
    timeline.show(held + unsent.filter { !confirmed.contains($0.clientMessageID) })
    if !timeline.sends.contains(where: { $0.state == .sending }) { unsentWaits = nil }
  }

  mutating func unsentWait(because reason: String?) { unsentWaits = reason }

  mutating func wait(because reason: String) { status = .waiting(reason) }

  /// What was waited for is there.
  private mutating func recovered() { if isUpToDate { status = .live } }

  /// When the next who writes is over; nil where nobody does.
  var nextExpiry: Duration? { typers.map(\.until).min() }

  /// Forgets who has stopped writing.
  mutating func expire(now: Duration) { typers.removeAll { $0.until <= now } }

  /// The newest messages without a hole, to be cached.
  ///
  /// - Parameter count: the most of them.
  /// - Returns: them.
  func newestRun(_ count: Int) -> ArraySlice<GroupMessage> {
    let messages = timeline.messages
    var start = messages.endIndex
    let floor = timeline.missing.last?.upperBound ?? 0
    while start > messages.startIndex, messages.endIndex - start < count,
      messages[start - 1].sequence > floor
    { start -= 1 }
    return messages[start...]
  }

  var snapshot: TimelineSnapshot {
    var snapshot = TimelineSnapshot()
    snapshot.me = timeline.me
    snapshot.messages = timeline.messages
    snapshot.unsent = timeline.sends
    snapshot.unsentWaits = timeline.sends.isEmpty ? nil : unsentWaits
    snapshot.typing = typers.map(\.user)
    snapshot.hasEarlier =
      !timeline.reachesStart && timeline.messages.count < TimelineMachine.mostHeld
    snapshot.missing = timeline.missing
    snapshot.status = status
    return snapshot
  }
}
