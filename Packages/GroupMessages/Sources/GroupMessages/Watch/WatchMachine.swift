/// What a watch does next: the core of ``GroupWatch``, without clock, network or lock.
///
/// It is told what came, and when; it says what to deliver, what to fetch and how long to wait.
/// Messages above a hole are held until the stream fills it or its patience is over.
struct WatchMachine: Sendable {
  /// What the shell has to do.
  enum Step: Hashable, Sendable {
    /// Hand this to the reader.
    case deliver(GroupEvent)
    /// Ask the history, then call `filled` or `fillFailed`.
    case fetch(HistoryQuery)
    /// Wait for the stream, no longer than this.
    case wait(until: Duration?)
    /// Wait without reading the stream: enough is held already.
    case pause(until: Duration)
  }

  private struct Held: Sendable {
    let message: GroupMessage
    let arrival: Duration
  }

  /// How long the stream has for filling a hole by itself.
  static let patience = Duration.seconds(5)
  /// How many messages are held above a hole before the history is asked at once.
  static let mostHeld = 1000
  /// How often the history is asked for messages that it does not have; its copy may lag behind.
  static let mostTries = 3

  /// The highest sequence that is done with.
  private(set) var delivered: UInt64
  /// Messages above a hole, ascending.
  private var held: [Held] = []
  private var ready: [GroupEvent] = []
  /// The highest sequence that a gap report named, and when.
  private var reported: (through: UInt64, at: Duration)?
  /// Not before this is the history asked again.
  private var notBefore: Duration = .zero
  private var backoff = Backoff()
  private var triesLeft = mostTries
  private var streamEnded = false

  /// A machine for what comes after a sequence.
  init(after sequence: UInt64) { delivered = sequence }

  /// The first sequences that are missing below something that is known to exist.
  private var hole: ClosedRange<UInt64>? {
    let upper = held.first.map { $0.message.sequence - 1 } ?? reported?.through ?? 0
    return upper > delivered ? delivered + 1...upper : nil
  }

  /// When the history is to be asked, where something is missing.
  private var due: Duration? {
    guard hole != nil else { return nil }
    if streamEnded || held.count >= WatchMachine.mostHeld { return notBefore }
    let noticed = held.map(\.arrival).min() ?? .zero
    let first = reported.map { held.isEmpty ? $0.at : min($0.at, noticed) } ?? noticed
    return max(first + WatchMachine.patience, notBefore)
  }

  /// What to do now.
  mutating func step(now: Duration) -> Step {
    if !ready.isEmpty { return .deliver(ready.removeFirst()) }
    guard let hole, let due else { return .wait(until: nil) }
    if due <= now { return .fetch(HistoryQuery(oldestOf: hole)) }
    return held.count >= WatchMachine.mostHeld ? .pause(until: due) : .wait(until: due)
  }

  /// Takes in what the stream said.
  mutating func receive(_ event: GroupEvent, now: Duration) {
    switch event {
    case .message(let message):
      hold(message, now: now)
      release()
    case .typing: ready.append(event)
    case .gap(let after, let before):
      let through = min(before, GroupMessage.sequences.upperBound) &- 1
      guard before > 0, before > after, through > max(delivered, reported?.through ?? 0) else {
        return
      }
      reported = (through, reported?.at ?? now)
    }
  }

  /// Takes in the history's answer to a fetch.
  mutating func filled(_ page: HistoryPage, for query: HistoryQuery, now: Duration) {
    backoff.reset()
    notBefore = .zero
    let before = delivered
    for message in page.messages { hold(message, now: now) }
    release()
    if delivered > before {
      triesLeft = WatchMachine.mostTries
    } else if triesLeft > 1 {
      triesLeft -= 1
      notBefore = now + WatchMachine.patience
    } else {
      skip(query)
    }
  }

  /// Takes in that a fetch failed for a reason that may pass.
  mutating func fillFailed(retryAfter: Duration?, chance: Double, now: Duration) {
    notBefore = now + backoff.next(retryAfter: retryAfter, chance: chance)
  }

  /// Takes in that nothing comes any more, so that waiting for the stream is in vain.
  mutating func streamDidEnd() { streamEnded = true }

  private mutating func hold(_ message: GroupMessage, now: Duration) {
    guard message.sequence > delivered, GroupMessage.sequences.contains(message.sequence) else {
      return
    }
    // Nearly always the newest of all, so looking from the end is short.
    let index = (held.lastIndex { $0.message.sequence <= message.sequence } ?? -1) + 1
    if index > 0, held[index - 1].message.sequence == message.sequence { return }
    held.insert(Held(message: message, arrival: now), at: index)
  }

  private mutating func release() {
    var count = 0
    while count < held.count, held[count].message.sequence == delivered + 1 {
      ready.append(.message(held[count].message))
      delivered += 1
      count += 1
    }
    held.removeFirst(count)
    if let through = reported?.through, through <= delivered { reported = nil }
  }

  /// Gives up what the history was asked for in vain, and says so.
  private mutating func skip(_ query: HistoryQuery) {
    guard let hole, let before = query.before else { return }
    let last = min(hole.upperBound, before - 1)
    ready.append(.gap(after: delivered, before: last + 1))
    delivered = last
    // A history that lacks one page lacks the following ones as well, more often than not: one
    // try each is enough until it has something again.
    triesLeft = 1
    release()
  }
}
