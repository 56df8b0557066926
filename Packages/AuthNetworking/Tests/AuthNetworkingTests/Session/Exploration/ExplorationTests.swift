import Testing

/// Every interleaving up to a depth, breadth first, with R1 to R12 and R14 asserted in
/// each: two processes, one store, one server.
struct ExplorationTests {
  /// What may happen; each line is explored whole, or to the depth that the limit allows.
  private static let budgets: [ModelWorld.Budget] = [
    ModelWorld.Budget(requests: 3, crashes: 2),
    ModelWorld.Budget(requests: 3, lostMessages: 1, storageFailures: 2),
    ModelWorld.Budget(requests: 3, lostMessages: 1, crashes: 1),
    ModelWorld.Budget(requests: 2, lostMessages: 1, crashes: 1, expiries: 1, revocations: 1),
    ModelWorld.Budget(requests: 2, lostMessages: 1, cancellations: 1, expiries: 1),
    ModelWorld.Budget(requests: 2, lostMessages: 1, signOuts: 1, signIns: 1),
    ModelWorld.Budget(requests: 2, storageFailures: 1, signOuts: 1, revocations: 1),
    ModelWorld.Budget(requests: 1, crashes: 1, signOuts: 1, signIns: 1, revocations: 1),
    ModelWorld.Budget(requests: 2, crashes: 1, revocations: 1, lockings: 1),
    ModelWorld.Budget(requests: 2, lostMessages: 2, crashes: 1, kind: .late),
    ModelWorld.Budget(
      requests: 2,
      lostMessages: 1,
      storageFailures: 1,
      crashes: 1,
      absences: 1,
      kind: .late
    ),
    // What becomes of a new session's commit that fails.
    ModelWorld.Budget(requests: 1, storageFailures: 1, crashes: 1, signOuts: 1, signIns: 2),
    ModelWorld.Budget(requests: 1, storageFailures: 2, crashes: 1, reauthentications: 2),
    ModelWorld.Budget(requests: 3, lostMessages: 1, keptTokens: 2),
    // What nobody waits for any more arrives after its resend brought no refresh token.
    ModelWorld.Budget(requests: 2, crashes: 1, expiries: 1, keptTokens: 1, kind: .alone),
    ModelWorld.Budget(requests: 3, lostMessages: 1, expiries: 2, keptTokens: 2, kind: .alone),
    ModelWorld.Budget(
      requests: 2,
      storageFailures: 1,
      crashes: 1,
      demands: 1,
      keptTokens: 2,
      kind: .alone
    ),
    ModelWorld.Budget(
      requests: 2,
      lostMessages: 1,
      absences: 1,
      expiries: 1,
      keptTokens: 1,
      kind: .alone
    ),
    ModelWorld.Budget(requests: 2, crashes: 1, expiries: 1, keptTokens: 2, kind: .late),
    ModelWorld.Budget(requests: 2, storageFailures: 1, crashes: 1, demands: 1, keptTokens: 1),
    ModelWorld.Budget(requests: 2, lostMessages: 1, crashes: 1, signOuts: 1, lockings: 1),
    ModelWorld.Budget(requests: 3, lostMessages: 2, storageFailures: 1, crashes: 2, expiries: 1),
    ModelWorld.Budget(
      requests: 3,
      lostMessages: 1,
      crashes: 1,
      signOuts: 1,
      signIns: 1,
      expiries: 1
    ),
    ModelWorld.Budget(
      requests: 4,
      lostMessages: 2,
      storageFailures: 1,
      crashes: 2,
      signOuts: 1,
      signIns: 1,
      cancellations: 1,
      expiries: 2,
      revocations: 1,
      lockings: 1,
      keptTokens: 1
    ),
    ModelWorld.Budget(
      requests: 4,
      lostMessages: 1,
      crashes: 1,
      cancellations: 1,
      expiries: 2,
      keptTokens: 1
    ),
    ModelWorld.Budget(
      requests: 3,
      storageFailures: 1,
      signOuts: 2,
      signIns: 2,
      revocations: 1,
      lockings: 1
    ),
    ModelWorld.Budget(requests: 2, lostMessages: 1, crashes: 1, signOuts: 2, signIns: 2),
    ModelWorld.Budget(requests: 3, signOuts: 1, signIns: 3, expiries: 1, revocations: 1),
    ModelWorld.Budget(
      requests: 2,
      lostMessages: 1,
      signOuts: 1,
      signIns: 2,
      cancellations: 1,
      keptTokens: 1
    ),
    ModelWorld.Budget(requests: 2, storageFailures: 1, crashes: 2, signOuts: 1, signIns: 2),
    ModelWorld.Budget(requests: 4, rejections: 4, kind: .alone),
    ModelWorld.Budget(requests: 1, signOuts: 1, signIns: 1, demands: 1, kind: .alone),
    ModelWorld.Budget(requests: 1, signIns: 1),
    ModelWorld.Budget(requests: 3, storageFailures: 2, kind: .alone),
    ModelWorld.Budget(requests: 2, lostMessages: 1, busyLocks: 1, demands: 2),
    ModelWorld.Budget(requests: 2, signIns: 1, demands: 1, rejections: 2),
    ModelWorld.Budget(
      requests: 2,
      lostMessages: 1,
      storageFailures: 1,
      revocations: 1,
      busyLocks: 1,
      kind: .aging
    ),
    ModelWorld.Budget(
      requests: 3,
      lostMessages: 1,
      storageFailures: 1,
      crashes: 1,
      expiries: 1,
      kind: .memory
    ),
    ModelWorld.Budget(requests: 2, signOuts: 1, signIns: 1, keptTokens: 1, kind: .memory),
    ModelWorld.Budget(
      requests: 3,
      storageFailures: 1,
      crashes: 1,
      signOuts: 1,
      signIns: 1,
      revocations: 1,
      lockings: 1,
      kind: .opaque
    ),
    // What is confirmed anew has another token in the same session, in the opaque model too.
    ModelWorld.Budget(
      requests: 3,
      storageFailures: 1,
      signOuts: 1,
      reauthentications: 2,
      kind: .opaque
    ),
    ModelWorld.Budget(
      requests: 2,
      signIns: 1,
      reauthentications: 1,
      expiries: 1,
      kind: .memory
    ),
    ModelWorld.Budget(
      requests: 3,
      lostMessages: 1,
      crashes: 1,
      expiries: 1,
      revocations: 1,
      kind: .readOnly
    ),
    ModelWorld.Budget(requests: 2, lostMessages: 1, signOuts: 1, reauthentications: 2),
    ModelWorld.Budget(requests: 3, crashes: 1, signOuts: 1, signIns: 1, pauses: 2),
    ModelWorld.Budget(requests: 2, reauthentications: 1, pauses: 1, absences: 1, lockings: 1),
    ModelWorld.Budget(requests: 2, storageFailures: 1, absences: 2),
    ModelWorld.Budget(requests: 1, lostMessages: 1, crashes: 1, absences: 2, expiries: 1),
    ModelWorld.Budget(
      requests: 1,
      signOuts: 1,
      signIns: 1,
      absences: 1,
      cancellations: 1,
      revocations: 1
    ),
    ModelWorld.Budget(requests: 2, reauthentications: 1, absences: 2, lockings: 1),
    ModelWorld.Budget(
      requests: 2,
      storageFailures: 1,
      crashes: 1,
      reauthentications: 1,
      expiries: 1,
      lockings: 1
    ),
  ]

  @Test func `R1 to R12 and R14 hold in every interleaving`() async throws {
    var states = 0
    for start in stride(from: 0, to: ExplorationTests.budgets.count, by: 2) {
      let chosen = ExplorationTests.budgets[start..<min(start + 2, ExplorationTests.budgets.count)]
      try await withThrowingTaskGroup(of: Int.self) { group in
        for budget in chosen { group.addTask { try ExplorationTests.explore(budget) } }
        for try await seen in group { states += seen }
      }
    }
    print("explored \(states) distinct states in all")
    #expect(states >= ExplorationTests.fewest)
  }

  #if DEBUG
  // Unoptimised, a state takes many times as long; `Tools/test` also runs this optimised.
  private static let limit = 6_000
  private static let fewest = 60_000
  #else
  private static let limit = 60_000
  private static let fewest = 1_000_000
  #endif

  /// - Returns: How many states were seen; what may still happen is part of a state.
  private static func explore(_ budget: ModelWorld.Budget) throws -> Int {
    let start = ModelWorld(budget: budget)
    var seen: Set<Int> = [start.key]
    var frontier = [start]
    var depth = 0
    while !frontier.isEmpty, seen.count < limit {
      var next: [ModelWorld] = []
      for world in frontier where seen.count < limit {
        for successor in world.successors {
          try #require(
            successor.violations.isEmpty,
            "\(successor.violations) after \(depth + 1) steps of \(budget)"
          )
          if seen.insert(successor.key).inserted { next.append(successor) }
        }
      }
      frontier = next
      depth += 1
    }
    let all = frontier.isEmpty ? ", all there are" : ""
    print("explored \(seen.count) states to depth \(depth)\(all)")
    return seen.count
  }
}
