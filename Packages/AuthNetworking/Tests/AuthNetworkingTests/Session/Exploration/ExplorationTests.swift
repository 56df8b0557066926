import Testing

/// Every interleaving up to a depth, breadth first, with R1 to R5, R7 and R10 asserted in each.
struct ExplorationTests {
  @Test(arguments: [
    ModelWorld.Budget(requests: 3, crashes: 2),
    ModelWorld.Budget(requests: 3, lostMessages: 1, storageFailures: 2),
    ModelWorld.Budget(requests: 3, lostMessages: 1, crashes: 1),
    ModelWorld.Budget(requests: 2, lostMessages: 1, crashes: 1, expiries: 1, revocations: 1),
    ModelWorld.Budget(requests: 2, lostMessages: 1, cancellations: 1, expiries: 1),
    ModelWorld.Budget(requests: 2, lostMessages: 1, signOuts: 1, signIns: 1),
    ModelWorld.Budget(requests: 2, storageFailures: 1, signOuts: 1, revocations: 1),
    ModelWorld.Budget(requests: 1, crashes: 1, signOuts: 1, signIns: 1, revocations: 1),
  ])
  func `R1 to R7 and R10 hold in every interleaving`(_ budget: ModelWorld.Budget) throws {
    let limit = 40_000
    let start = ModelWorld(budget: budget)
    var seen: Set<Int> = [start.key]
    var frontier = [start]
    var depth = 0
    while !frontier.isEmpty, seen.count < limit {
      var next: [ModelWorld] = []
      for world in frontier {
        for successor in world.successors {
          try #require(successor.violations.isEmpty, "\(successor.violations) after \(depth + 1)")
          if seen.insert(successor.key).inserted { next.append(successor) }
        }
      }
      frontier = next
      depth += 1
    }
    print(
      "explored \(seen.count) states to depth \(depth)\(frontier.isEmpty ? ", all there are" : "")"
    )
    #expect(seen.count > 1_000)
  }
}
