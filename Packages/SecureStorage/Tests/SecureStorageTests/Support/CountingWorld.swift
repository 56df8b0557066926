import Testing

@testable import SecureStorage

/// A store's anchor and a vault's counter, two processes that commit, and whatever may fail in
/// between: what ``RollbackCounter`` decides is carried out here without files and vaults.
struct CountingWorld {
  /// Where a commit ends before its time.
  enum Mishap: CaseIterable {
    case none, killedBeforeCommit, killedBeforeCount, killedAfterCount, countFails, answerIsLost
    case counterCannotBeRead
  }

  enum Step {
    case commit(process: Int, isUrgent: Bool, Mishap)
    /// The process ends, and another one opens the store.
    case restart(process: Int, Mishap)
    case close(process: Int)
    case wait

    static let all: [Step] =
      [.wait]
      + (0..<2).flatMap { process in
        Mishap.allCases.flatMap { mishap -> [Step] in
          [
            .commit(process: process, isUrgent: true, mishap),
            .commit(process: process, isUrgent: false, mishap),
            .restart(process: process, mishap),
          ]
        } + [.close(process: process)]
      }
  }

  private(set) var number: UInt64
  private(set) var counter: UInt64?
  private var tag: UInt8 = 1
  private var now = Duration.zero
  private var processes = [RollbackCounter(), RollbackCounter()]
  /// The numbers of earlier states that must not pass for the present one any more.
  private(set) var outdated: [UInt64] = []
  private var earlier: [UInt64] = []
  /// What a counter that is made begins with.
  private let first: UInt64

  init(first: UInt64, counter: UInt64?) {
    self.first = first
    self.counter = counter
    number = counter.map { $0 + 1 } ?? 0
    for process in 0..<2 { perform(.restart(process: process, .none)) }
  }

  /// How the store would be judged if it was opened now.
  var opening: RollbackCounter.Opening {
    RollbackCounter.opening(anchor: number, counter: counter)
  }

  mutating func perform(_ step: Step) {
    switch step {
    case .wait: now += .seconds(2)
    case .commit(let process, let isUrgent, let mishap):
      commit(process, isUrgent, mishap)
    case .restart(let process, let mishap):
      processes[process] = RollbackCounter()
      if opening != .sound { commit(process, true, mishap) }
    case .close(let process):
      if processes[process].handle(.willClose(rowTag)) == .count { count(process, .none) }
      processes[process] = RollbackCounter()
    }
  }

  private var rowTag: RowTag {
    guard let tag = RowTag([UInt8](repeating: tag, count: RowTag.length)) else {
      preconditionFailure("a tag of the right length")
    }
    return tag
  }

  private mutating func commit(_ process: Int, _ isUrgent: Bool, _ mishap: Mishap) {
    var effect = processes[process].handle(
      .willCommit(on: number, tag: rowTag, isUrgent: isUrgent, now: now)
    )
    if effect == .readCounter {
      effect = processes[process].handle(
        mishap == .counterCannotBeRead ? .readFailed : .read(counter)
      )
    }
    if effect == .count {
      guard let next = countFirst(process, mishap) else { return }
      effect = next
    }
    guard case .seal(let sealed) = effect else {
      Issue.record("an honest commit was refused")
      return
    }
    if mishap == .killedBeforeCommit {
      processes[process] = RollbackCounter()
      return
    }
    earlier.append(number)
    number = sealed
    tag &+= 1
    if mishap == .killedBeforeCount {
      processes[process] = RollbackCounter()
      return
    }
    guard processes[process].handle(.committed(rowTag)) == .count else { return }
    count(process, mishap)
    guard isUrgent, mishap == .none || mishap == .killedAfterCount else { return }
    // A process that is killed before it had its say may have shared a number with those before.
    let present = mishap == .none ? nil : number
    outdated = earlier.filter { $0 > 0 && $0 < .max && $0 != present }
  }

  /// Counts for the commits before; nil where the process is killed then.
  private mutating func countFirst(_ process: Int, _ mishap: Mishap) -> RollbackCounter.Effect? {
    if mishap == .countFails { return processes[process].handle(.countFailed) }
    let next = counter.map { $0 + 1 } ?? first
    counter = next
    if mishap == .answerIsLost { return processes[process].handle(.countFailed) }
    guard mishap == .killedAfterCount else {
      return processes[process].handle(.counted(rowTag, next))
    }
    processes[process] = RollbackCounter()
    return nil
  }

  private mutating func count(_ process: Int, _ mishap: Mishap) {
    if mishap == .countFails {
      _ = processes[process].handle(.countFailed)
      return
    }
    let next = counter.map { $0 + 1 } ?? first
    counter = next
    switch mishap {
    case .killedAfterCount: processes[process] = RollbackCounter()
    case .answerIsLost: _ = processes[process].handle(.countFailed)
    default:
      if processes[process].handle(.counted(rowTag, next)) == .commitAgain {
        commit(process, true, .none)
      }
    }
  }
}
