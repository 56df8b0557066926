public import SessionModels

/// What one group's conversation looks like, put together from history pages, live events and
/// the user's own sends, in whatever order they come.
///
/// A value without clock, network or lock. ``messages`` are ordered by sequence and hold each
/// once; ``sends`` come after them. What is missing in between is named by ``missing``, and
/// ``nextQuery(limit:)`` asks for exactly that.
public struct MessageTimeline: Hashable, Sendable {
  /// The confirmed messages, ascending by sequence.
  public private(set) var messages: [GroupMessage] = []
  /// The user's own messages that the server has not confirmed, in the order of writing.
  public private(set) var sends: [OwnSend] = []
  /// The highest sequence that anything spoke of; 0 where nothing did.
  public private(set) var newestKnown: UInt64 = 0

  /// The signed-in user; nil while that is not known, and nothing is confirmed then.
  public private(set) var me: UserID?
  /// What is held, and what a page showed not to exist.
  private var settled = SequenceSet()
  /// The highest sequence that came in a page.
  private var historyReaches: UInt64 = 0
  private var hasNewestPage = false
  private var hasFirstPage = false

  /// An empty timeline.
  ///
  /// - Parameter me: the signed-in user, where that is known. Only this user's messages confirm
  ///   ``sends``.
  public init(me: UserID? = nil) { self.me = me }

  /// Takes in who the signed-in user is.
  public mutating func identify(_ me: UserID) {
    guard self.me != me else { return }
    self.me = me
    let confirmed = Set(messages.filter { $0.senderID == me }.compactMap(\.clientMessageID))
    sends.removeAll { confirmed.contains($0.clientMessageID) }
  }

  /// Takes in one message: a live event, or the answer to a send.
  ///
  /// A message that confirms one of ``sends`` takes its place. Of two with one sequence the
  /// first stays; a sequence outside ``GroupMessage/sequences`` is left out.
  ///
  /// - Returns: whether it was new.
  @discardableResult
  public mutating func insert(_ message: GroupMessage) -> Bool {
    guard GroupMessage.sequences.contains(message.sequence) else { return false }
    confirm(message)
    newestKnown = max(newestKnown, message.sequence)
    let index = position(of: message.sequence)
    if index < messages.count, messages[index].sequence == message.sequence { return false }
    messages.insert(message, at: index)
    settled.insert(message.sequence...message.sequence)
    return true
  }

  private mutating func confirm(_ message: GroupMessage) {
    guard !sends.isEmpty, let me, message.senderID == me,
      let clientMessageID = message.clientMessageID
    else { return }
    sends.removeAll { $0.clientMessageID == clientMessageID }
  }

  /// Takes in a page's messages, each run of them that lies together at once: a page that goes
  /// before thousands of others moves those once, not for each of its messages.
  private mutating func insertRuns(of page: [GroupMessage]) {
    var rest = page.filter { GroupMessage.sequences.contains($0.sequence) }[...]
    while let first = rest.first {
      confirm(first)
      let index = position(of: first.sequence)
      let next = index < messages.count ? messages[index].sequence : .max
      if next == first.sequence {
        rest = rest.dropFirst()
        continue
      }
      let run = rest.prefix { $0.sequence < next }
      rest = rest.dropFirst(run.count)
      for message in run { confirm(message) }
      messages.insert(contentsOf: run, at: index)
      for message in run { settled.insert(message.sequence...message.sequence) }
      newestKnown = max(newestKnown, run.last?.sequence ?? 0)
    }
  }

  /// Takes in a page of history.
  ///
  /// What the page leaves out does not exist and is not asked for again: between its messages,
  /// below them where there is no more, and above them where the history is known to reach
  /// higher. Elsewhere above them it may merely lag behind the live events.
  ///
  /// - Parameters:
  ///   - page: the answer.
  ///   - before: what was asked for; nil was from the newest message on.
  public mutating func insert(_ page: HistoryPage, before: UInt64? = nil) {
    insertRuns(of: page.messages)
    let sequences = page.messages.map(\.sequence).filter(GroupMessage.sequences.contains)
    historyReaches = max(historyReaches, sequences.last ?? 0)
    hasNewestPage = hasNewestPage || before == nil
    hasFirstPage = hasFirstPage || !page.hasMore
    var top = sequences.last ?? 0
    if let before, before <= historyReaches { top = max(top, before - min(before, 1)) }
    let bottom = page.hasMore ? sequences.first : GroupMessage.sequences.lowerBound
    if let bottom, bottom <= top { settled.insert(bottom...top) }
  }

  /// Takes in that messages exist up to a sequence, as a reported gap says.
  public mutating func noteExisting(through sequence: UInt64) {
    newestKnown = max(newestKnown, min(sequence, GroupMessage.sequences.upperBound))
  }

  /// Drops the oldest messages; what they were can be asked for again.
  ///
  /// - Parameter count: how many stay.
  /// - Returns: how many were dropped.
  @discardableResult
  public mutating func keepNewest(_ count: Int) -> Int {
    let surplus = messages.count - max(count, 1)
    guard surplus > 0 else { return 0 }
    messages.removeFirst(surplus)
    if let oldest = messages.first?.sequence {
      settled.removeAll(below: oldest)
      hasFirstPage = false
    }
    return surplus
  }

  private func position(of sequence: UInt64) -> Int {
    guard let newest = messages.last, newest.sequence >= sequence else { return messages.count }
    var low = 0
    var high = messages.count
    while low < high {
      let middle = (low + high) / 2
      if messages[middle].sequence < sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

// MARK: What is missing

extension MessageTimeline {
  /// The sequences that lie between the oldest and the newest known message and are not held,
  /// ascending.
  public var missing: [ClosedRange<UInt64>] {
    guard let oldest = settled.runs.first?.lowerBound, oldest <= newestKnown else { return [] }
    return settled.gaps(in: oldest...newestKnown)
  }

  /// Whether nothing earlier can be loaded.
  public var reachesStart: Bool {
    hasFirstPage || settled.contains(GroupMessage.sequences.lowerBound)
  }

  /// What to ask the history for so that nothing is missing; nil where nothing is.
  ///
  /// The newest missing range comes first, that is where people look. An empty timeline asks
  /// for the newest page. The same query again means that the history lags behind: wait before
  /// asking.
  ///
  /// - Parameter limit: the most messages wanted at once, within ``HistoryQuery/limits``.
  /// - Returns: the query, whose answer goes to ``insert(_:before:)``.
  public func nextQuery(limit: Int = HistoryQuery.defaultLimit) -> HistoryQuery? {
    let limit = min(max(limit, HistoryQuery.limits.lowerBound), HistoryQuery.limits.upperBound)
    if settled.runs.isEmpty, newestKnown > 0 || !hasNewestPage {
      return HistoryQuery(uncheckedBefore: nil, limit: limit)
    }
    guard let range = missing.last else { return nil }
    let length = min(range.upperBound - range.lowerBound, UInt64(limit) - 1) + 1
    return HistoryQuery(uncheckedBefore: range.upperBound + 1, limit: Int(length))
  }

  /// What to ask the history for when the reader scrolls up; nil at the group's start.
  ///
  /// - Parameter limit: the most messages wanted, within ``HistoryQuery/limits``.
  /// - Returns: the query, whose answer goes to ``insert(_:before:)``.
  public func earlierQuery(limit: Int = HistoryQuery.defaultLimit) -> HistoryQuery? {
    let limit = min(max(limit, HistoryQuery.limits.lowerBound), HistoryQuery.limits.upperBound)
    guard !reachesStart else { return nil }
    return HistoryQuery(uncheckedBefore: settled.runs.first?.lowerBound, limit: limit)
  }
}

// MARK: Own sends

extension MessageTimeline {
  /// Shows a message that the user has just written, after all others.
  ///
  /// One that is shown or confirmed already is left as it is.
  public mutating func write(_ send: OwnSend) {
    let isKnown =
      sends.contains { $0.clientMessageID == send.clientMessageID }
      || messages.contains { $0.senderID == me && $0.clientMessageID == send.clientMessageID }
    if !isKnown { sends.append(send) }
  }

  /// Shows these unsent messages instead of those before, but for what is confirmed already.
  public mutating func show(_ unsent: [OwnSend]) {
    guard !(sends.isEmpty && unsent.isEmpty) else { return }
    let ids = Set(unsent.map(\.clientMessageID))
    var confirmed: Set<String> = []
    for message in messages where message.senderID == me {
      if let id = message.clientMessageID, ids.contains(id) { confirmed.insert(id) }
    }
    sends = unsent.filter { !confirmed.contains($0.clientMessageID) }
  }

  /// Marks a message that was refused for good.
  public mutating func markFailed(clientMessageID: String) {
    setState(.failed, clientMessageID: clientMessageID)
  }

  /// Marks a failed message that is sent again, in its old place.
  public mutating func markSending(clientMessageID: String) {
    setState(.sending, clientMessageID: clientMessageID)
  }

  /// Marks a message that the server has, whose place in the history is not known yet.
  public mutating func markSent(clientMessageID: String) {
    setState(.sent, clientMessageID: clientMessageID)
  }

  /// Takes away a message that the user gave up.
  public mutating func discard(clientMessageID: String) {
    sends.removeAll { $0.clientMessageID == clientMessageID }
  }

  private mutating func setState(_ state: OwnSend.State, clientMessageID: String) {
    guard let index = sends.firstIndex(where: { $0.clientMessageID == clientMessageID }) else {
      return
    }
    sends[index].state = state
  }
}
