import Testing

@testable import GroupMessages

@Suite struct SequenceSetTests {
  @Test func `ranges that touch become one`() {
    var set = SequenceSet()
    set.insert(5...6)
    set.insert(9...9)
    set.insert(7...8)
    #expect(set.runs == [5...9])
  }

  @Test func `the ends of the number range are ranges like others`() {
    var set = SequenceSet()
    set.insert(UInt64.max...UInt64.max)
    set.insert(0...0)
    #expect(set.gaps(in: 0...UInt64.max) == [1...(UInt64.max - 1)])
    set.insert(0...UInt64.max)
    #expect(set.runs == [0...UInt64.max])
    #expect(set.gaps(in: 0...UInt64.max).isEmpty)
  }

  @Test func `an empty set lacks everything`() {
    #expect(SequenceSet().gaps(in: 3...4) == [3...4])
    #expect(!SequenceSet().contains(3))
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `it equals a plain set, whatever is inserted`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var set = SequenceSet()
    var plain: Set<UInt64> = []
    for _ in 0..<40 {
      let lower = UInt64.random(in: 0...60, using: &generator)
      let range = lower...(lower + UInt64.random(in: 0...6, using: &generator))
      set.insert(range)
      plain.formUnion(range)
      #expect(set.runs.flatMap { Array($0) } == plain.sorted())
      #expect((0...70).allSatisfy { set.contains($0) == plain.contains($0) })
      let asked = (lower / 2)...66
      #expect(
        set.gaps(in: asked).flatMap { Array($0) } == asked.filter { !plain.contains($0) }
      )
      #expect(zip(set.runs, set.runs.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
    }
  }
}
