/// Decides when the requests of a run start: a value without a clock.
///
/// Times count from the start of the run. A start that is late by an interval or more, since all
/// places were taken, is followed by the next one an interval later: no burst catches up.
struct RequestSchedule: Sendable {
  /// What comes next.
  enum Step: Equatable, Sendable {
    /// Start a request.
    case start
    /// Ask again at that time, or when an answer comes.
    case wait(until: Duration)
    /// Ask again when an answer comes.
    case awaitAnswer
    /// All is done.
    case end
  }

  /// How many requests there are; nil for no end of them.
  let count: Int?
  /// How many are under way at most.
  let concurrency: Int
  /// How far apart they start; nil for as soon as there is a place.
  let interval: Duration?
  /// When no more is started; nil for never.
  let span: Duration?

  private(set) var started = 0
  private var nextStart = Duration.zero
  private var isStopped = false

  init(count: Int?, concurrency: Int = 1, interval: Duration? = nil, span: Duration? = nil) {
    self.count = count
    self.concurrency = concurrency
    self.interval = interval
    self.span = span
  }

  /// Starts no more.
  mutating func stop() { isStopped = true }

  /// What comes next, counting a ``Step/start`` as done.
  mutating func next(at now: Duration, underWay: Int) -> Step {
    guard !isOver(at: now) else { return underWay > 0 ? .awaitAnswer : .end }
    guard underWay < concurrency else { return .awaitAnswer }
    if let interval {
      guard now >= nextStart else {
        guard !isOver(at: nextStart) else { return underWay > 0 ? .awaitAnswer : .end }
        return .wait(until: nextStart)
      }
      nextStart = now - nextStart < interval ? nextStart + interval : now + interval
    }
    started += 1
    return .start
  }

  private func isOver(at time: Duration) -> Bool {
    isStopped || started == count || span.map { time >= $0 } ?? false
  }
}
