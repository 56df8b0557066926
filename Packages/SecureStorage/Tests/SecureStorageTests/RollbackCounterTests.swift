import Testing

@testable import SecureStorage

@Suite struct RollbackCounterTests {
  /// Nothing honest looks like an old copy, and every old copy does.
  private func check(_ world: CountingWorld, _ steps: [CountingWorld.Step]) -> Bool {
    guard [.sound, .settle, .begin].contains(world.opening) || world.number == .max else {
      Issue.record("\(world.opening) after \(steps)")
      return false
    }
    for number in world.outdated {
      let opening = RollbackCounter.opening(anchor: number, counter: world.counter)
      guard opening == .rolledBack else {
        Issue.record("\(number) is \(opening) after \(steps)")
        return false
      }
    }
    return true
  }

  @Test(arguments: [nil, 1, 41] as [UInt64?])
  func `any three steps of two processes, with a mishap in each, keep store and counter in order`(
    counter: UInt64?
  ) {
    let world = CountingWorld(first: 7, counter: counter)
    #expect(world.opening == .sound)
    for first in CountingWorld.Step.all {
      var one = world
      one.perform(first)
      for second in CountingWorld.Step.all {
        var two = one
        two.perform(second)
        for third in CountingWorld.Step.all {
          var three = two
          three.perform(third)
          guard check(three, [first, second, third]) else { return }
        }
      }
    }
  }

  @Test(arguments: 0..<8)
  func `long histories of mishaps keep store and counter in order`(seed: UInt64) {
    var random = SeededRandom(seed)
    for _ in 0..<200 {
      var world = CountingWorld(first: 7, counter: seed % 2 == 0 ? nil : 3)
      var steps: [CountingWorld.Step] = []
      for _ in 0..<40 {
        guard let step = CountingWorld.Step.all.randomElement(using: &random) else { return }
        steps.append(step)
        world.perform(step)
        guard check(world, steps) else { return }
      }
      // However it went, the next open brings both together.
      world.perform(.restart(process: 0, .none))
      world.perform(.restart(process: 1, .none))
      #expect(world.opening == .sound, "\(steps)")
    }
  }

  @Test(
    arguments: [
      (0, nil, .begin), (0, 9, .begin), (4, nil, .lost), (4, 4, .sound), (4, 3, .settle),
      (4, 5, .rolledBack), (4, 2, .lost), (.max, 9, .lost), (1, 0, .settle),
    ] as [(UInt64, UInt64?, RollbackCounter.Opening)]
  )
  func `an anchor is judged by its distance from the counter`(
    anchor: UInt64,
    counter: UInt64?,
    opening: RollbackCounter.Opening
  ) {
    #expect(RollbackCounter.opening(anchor: anchor, counter: counter) == opening)
  }

  @Test func `commits that are not urgent share a number for a second`() {
    var machine = RollbackCounter()
    let tags = (1...4).compactMap { RowTag([UInt8](repeating: UInt8($0), count: 16)) }
    func commit(_ tag: Int, on number: UInt64, _ isUrgent: Bool, _ now: Duration)
      -> RollbackCounter.Effect
    {
      machine.handle(.willCommit(on: number, tag: tags[tag], isUrgent: isUrgent, now: now))
    }
    #expect(commit(0, on: 5, false, .zero) == .readCounter)
    #expect(machine.handle(.read(5)) == .seal(6))
    #expect(machine.handle(.committed(tags[1])) == .count)
    #expect(machine.handle(.counted(tags[1], 6)) == .nothing)
    for now in [Duration.milliseconds(10), .milliseconds(999)] {
      #expect(commit(1, on: now == .milliseconds(10) ? 6 : 7, false, now) == .seal(7))
      #expect(machine.handle(.committed(tags[1])) == .nothing)
      #expect(machine.mayHaveUncounted)
    }
    #expect(commit(1, on: 7, false, .seconds(1)) == .seal(7))
    #expect(machine.handle(.committed(tags[2])) == .count)
    #expect(machine.handle(.counted(tags[2], 7)) == .nothing)
    #expect(!machine.mayHaveUncounted)
    #expect(commit(2, on: 7, true, .milliseconds(1001)) == .seal(8))
    #expect(machine.handle(.committed(tags[3])) == .count)
  }

  @Test func `nothing is committed on a store that is older than its counter`() throws {
    var machine = RollbackCounter()
    let tag = try #require(RowTag([UInt8](repeating: 1, count: 16)))
    #expect(
      machine.handle(.willCommit(on: 4, tag: tag, isUrgent: true, now: .zero)) == .readCounter
    )
    #expect(machine.handle(.read(5)) == .refuse)
  }
}
