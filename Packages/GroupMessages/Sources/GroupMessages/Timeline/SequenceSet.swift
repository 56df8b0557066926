/// A set of sequences, kept as its runs: a history without gaps costs one range, however long.
struct SequenceSet: Hashable, Sendable {
  /// The runs, ascending; no two of them touch.
  private(set) var runs: [ClosedRange<UInt64>] = []

  /// Whether a sequence is in the set.
  func contains(_ sequence: UInt64) -> Bool {
    let index = firstRun(endingAtOrAfter: sequence)
    return index < runs.count && runs[index].contains(sequence)
  }

  /// Adds a range, and joins the runs that it touches.
  mutating func insert(_ range: ClosedRange<UInt64>) {
    let below = range.lowerBound == 0 ? 0 : range.lowerBound - 1
    let first = firstRun(endingAtOrAfter: below)
    var last = first
    var lower = range.lowerBound
    var upper = range.upperBound
    while last < runs.count, upper == .max || runs[last].lowerBound <= upper + 1 {
      lower = min(lower, runs[last].lowerBound)
      upper = max(upper, runs[last].upperBound)
      last += 1
    }
    runs.replaceSubrange(first..<last, with: [lower...upper])
  }

  /// Takes out everything below a sequence.
  mutating func removeAll(below sequence: UInt64) {
    runs.removeFirst(firstRun(endingAtOrAfter: sequence))
    if let first = runs.first, first.lowerBound < sequence { runs[0] = sequence...first.upperBound }
  }

  /// What a range has and the set has not, ascending.
  func gaps(in range: ClosedRange<UInt64>) -> [ClosedRange<UInt64>] {
    var gaps: [ClosedRange<UInt64>] = []
    var next = range.lowerBound
    for run in runs[firstRun(endingAtOrAfter: next)...] {
      guard run.lowerBound <= range.upperBound else { break }
      if run.lowerBound > next { gaps.append(next...run.lowerBound - 1) }
      guard run.upperBound < range.upperBound else { return gaps }
      next = max(next, run.upperBound + 1)
    }
    gaps.append(next...range.upperBound)
    return gaps
  }

  private func firstRun(endingAtOrAfter sequence: UInt64) -> Int {
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].upperBound < sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
