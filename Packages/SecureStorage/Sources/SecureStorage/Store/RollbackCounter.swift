/// Decides which number of a vault's counter a commit carries, and when the vault counts (R15).
///
/// A commit carries the number that the counter has after it: the counter's own, or the next.
/// So a store whose number is lower than its counter was put back from a copy, and a crash between
/// a commit and its counting leaves the next number, which is in order. Counting is slow and
/// wears a chip out, therefore commits that are not urgent share a number for a second: a copy of
/// one of them passes for another. An urgent commit never shares one with those before it.
///
/// It holds no vault and no clock: events come in, and effects go out. All of them happen under
/// the writers' lock.
struct RollbackCounter: Sendable {
  /// The number of a store that is about to begin with another counter: valid with any.
  static let restarting = UInt64.max
  /// How long commits that are not urgent may go uncounted.
  static let patience = Duration.seconds(1)

  /// What is found when a store is opened.
  enum Opening: Equatable {
    case sound
    /// The last commit was not counted any more.
    case settle
    /// The vault counts, and the store does not know it yet.
    case begin
    /// The counter was deleted, or set back.
    case lost
    /// The store is older than its counter.
    case rolledBack
  }

  /// What happens during a commit, in this order.
  enum Event: Equatable {
    /// A commit is about to be made on top of an anchor with this number and tag.
    case willCommit(on: UInt64, tag: RowTag, isUrgent: Bool, now: Duration)
    /// The counter's value; nil where there is none.
    case read(UInt64?)
    case readFailed
    /// The commit is durable, with an anchor of this tag.
    case committed(RowTag)
    /// The store is about to be closed, and the last anchor has this tag.
    case willClose(RowTag)
    /// After an anchor of this tag, to this value.
    case counted(RowTag, UInt64)
    case countFailed
  }

  /// What is to be done then.
  enum Effect: Equatable {
    case readCounter
    /// The number that the commit is to carry.
    case seal(UInt64)
    /// The store is older than its counter: nothing may be committed on it.
    case refuse
    case count
    /// Another commit is needed, on top of this one.
    case commitAgain
    case nothing
  }

  /// The anchor that this process wrote last, and the counter's value then: as long as the anchor
  /// is the store's, nobody else has counted.
  private var own: (tag: RowTag, number: UInt64, counter: UInt64)?
  private var lastCount: Duration?
  private var draft = Draft()

  /// The commit that is under way.
  private struct Draft {
    var number: UInt64 = 0
    /// The counter's value; nil where it is not known, or there is none.
    var counter: UInt64?
    var isUrgent = false
    var isDue = false
    var isSealed = false
    /// Whether it is urgent, and yet has the number of commits before.
    var sharesNumber = false
    var now = Duration.zero
  }

  /// Judges an anchor that was read *after* the counter.
  static func opening(anchor: UInt64, counter: UInt64?) -> Opening {
    guard anchor > 0 else { return .begin }
    guard let counter else { return .lost }
    if anchor < counter { return .rolledBack }
    return anchor == counter ? .sound : anchor == counter + 1 ? .settle : .lost
  }

  /// Whether the last commit of this process was not counted yet.
  var mayHaveUncounted: Bool { own.map { $0.counter != $0.number } ?? false }

  mutating func handle(_ event: Event) -> Effect {
    switch event {
    case .willCommit(let number, let tag, let isUrgent, let now):
      let isDue = isUrgent || lastCount.map { now - $0 >= RollbackCounter.patience } ?? true
      draft = Draft(number: number, isUrgent: isUrgent, isDue: isDue, now: now)
      guard let own, own.tag == tag, own.number == number else { return .readCounter }
      // The commits before are counted first, or a copy of them would pass for this one.
      return isUrgent && own.counter + 1 == number ? .count : seal(above: own.counter)
    case .read(let counter): return plan(counter)
    case .readFailed:
      // The commit must not fail for it.
      return carry()
    case .committed(let tag):
      own = draft.counter.map { (tag, draft.number, $0) }
      return draft.isDue ? .count : .nothing
    case .willClose(let tag):
      guard let own, own.tag == tag, own.counter != own.number else { return .nothing }
      draft = Draft(number: own.number, isSealed: true, now: lastCount ?? .zero)
      return .count
    case .counted(let tag, let counter):
      lastCount = draft.now
      guard draft.isSealed else {
        own?.counter = counter
        return seal(above: counter)
      }
      own = (tag, draft.number, counter)
      // One that was just made may begin anywhere, and a late call of a vault that hung may have
      // counted once more: the store must catch up.
      return counter == draft.number && !draft.sharesNumber ? .nothing : .commitAgain
    case .countFailed:
      lastCount = draft.now
      // It may have counted all the same.
      own = nil
      return draft.isSealed ? .nothing : carry()
    }
  }

  /// The number before, for want of better knowledge: it is in order, and the next commit asks.
  private mutating func carry() -> Effect {
    draft.counter = nil
    draft.isDue = false
    draft.isSealed = true
    return .seal(draft.number)
  }

  private mutating func plan(_ counter: UInt64?) -> Effect {
    guard let counter else {
      // The vault makes one when it counts. Its first number may be any, and until it is known
      // the store's must be in order with all of them.
      draft.isDue = true
      draft.isSealed = true
      draft.number = RollbackCounter.restarting
      return .seal(draft.number)
    }
    switch RollbackCounter.opening(anchor: draft.number, counter: counter) {
    case .rolledBack: return .refuse
    case .sound: break
    // Nobody counts for an anchor that another process wrote and may yet count for. So this commit
    // takes its place, and what is urgent in it gets a number of its own afterwards.
    case .settle: draft.sharesNumber = draft.isUrgent
    case .begin, .lost: draft.isDue = true
    }
    return seal(above: counter)
  }

  private mutating func seal(above counter: UInt64) -> Effect {
    draft.counter = counter
    draft.isSealed = true
    draft.number = counter + 1
    return .seal(draft.number)
  }
}
