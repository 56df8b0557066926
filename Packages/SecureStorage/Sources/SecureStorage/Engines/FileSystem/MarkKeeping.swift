/// Decides whether a writer may move a mark of the log's readers.
///
/// Whoever reads stands at a mark, behind which nobody moves frames into the database. SQLite has
/// each transaction put a mark where the log ends just then, for which it locks that mark alone,
/// unlocks it, and locks it once more together with others: two calls of the system that a writer
/// can do without. At an older mark it reads the same, and only keeps from the database, as long as
/// it lasts, what nobody moves there meanwhile: checkpoints wait for writers. So each mark is said
/// to be taken, as SQLite is used to when there are many readers. Where no mark is old enough it
/// asks again, and then may; and who has to recover the log first, which sets all of them, may too.
///
/// It locks nothing: whoever asks does.
struct MarkKeeping: BitwiseCopyable {
  /// The locks of the marks that move; the first mark always is the log's beginning.
  private static let slots = 4..<8

  private var refusals = 0

  /// A writer begins.
  mutating func begin() { refusals = MarkKeeping.slots.count }

  /// It has begun.
  mutating func end() { refusals = 0 }

  /// Whether a lock that is to be taken alone is refused.
  mutating func refuses(slot: Int) -> Bool {
    guard MarkKeeping.slots.contains(slot) else {
      refusals = 0
      return false
    }
    guard refusals > 0 else { return false }
    refusals -= 1
    return true
  }
}
