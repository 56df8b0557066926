import Testing

@testable import DevBackend

/// Every sequence of a few steps, against what must hold whatever the order.
@Suite struct TokenFamilyExplorationTests {
  private static let policy = TokenFamily.Policy(lifetime: 100, grace: 10, reuseScope: .user)
  private static let attempts: [String?] = [nil, "one", "two"]

  /// What a client could know: which token it was answered with, for which request.
  private struct Issued {
    let token: TokenHash
    let generation: Int
  }

  private struct World {
    var family = TokenFamily(
      id: "ses",
      userID: "usr",
      deviceID: "phone",
      live: [TokenFamily.LiveToken(hash: "t0", issuedAt: 0, expiresAt: 100)]
    )
    var issued = [Issued(token: "t0", generation: 0)]
    var now: Int64 = 0
    /// When and by which attempt a token was first used with success.
    var used: [TokenHash: (at: Int64, attempt: String?)] = [:]
  }

  @Test func `R2: whatever the order, a token is spent once, and nothing outlives a revocation`() {
    var visited = 0
    explore(World(), depth: 6, visited: &visited)
    #expect(visited > 50_000)
  }

  private func explore(_ world: World, depth: Int, visited: inout Int) {
    visited += 1
    guard depth > 0 else { return }
    for step in [10, 100] as [Int64] where depth > 1 {
      var later = world
      later.now += step
      explore(later, depth: depth - 1, visited: &visited)
    }
    for issue in world.issued {
      for attempt in Self.attempts {
        for device in ["phone", "tablet"] {
          var next = world
          guard step(&next, issue, attempt: attempt, device: device) else { continue }
          explore(next, depth: depth - 1, visited: &visited)
        }
      }
    }
  }

  /// Presents a token and checks the answer; false where nothing follows from it.
  private func step(
    _ world: inout World,
    _ issue: Issued,
    attempt: String?,
    device: String
  ) -> Bool {
    let before = world
    let successor = "t\(world.issued.count)"
    let decision = world.family.present(
      TokenFamily.Presentation(
        token: issue.token,
        deviceID: device,
        attemptID: attempt,
        now: world.now
      ),
      successor: successor,
      policy: Self.policy
    )
    let isFresh = before.family.live.contains { $0.hash == issue.token }
    let firstUse = before.used[issue.token]
    if before.family.revocation != nil {
      // Once over, over.
      expect(Self.isRefusal(decision) && world.family == before.family)
      return false
    }
    expect(device == "phone" || decision == .revoked(.deviceMismatch, .family))
    expect(Set(world.family.live.map(\.hash)).isDisjoint(with: world.family.spent.map(\.hash)))
    switch decision {
    case .rotated:
      // A pair for a token that was never used, and for each generation once.
      expect(isFresh && firstUse == nil)
      expect(
        !before.used.keys.contains { token in generation(of: token, before) == issue.generation }
      )
      world.used[issue.token] = (world.now, attempt)
      world.issued.append(Issued(token: successor, generation: issue.generation + 1))
    case .resent:
      // A second pair only for the attempt that spent the token, whose answer nobody used.
      expect(firstUse?.attempt != nil && firstUse?.attempt == attempt)
      expect(issue.generation + 1 == before.family.generation)
      world.issued.append(Issued(token: successor, generation: issue.generation + 1))
    case .grace:
      expect(!isFresh && world.family == before.family)
      expect(before.family.live.contains { world.now < $0.expiresAt })
    case .tooMany:
      expect(world.family == before.family && before.family.live.count >= 16)
    case .refused(let refusal):
      expect(refusal == .expired && world.family == before.family)
    case .revoked:
      expect(world.family.revocation != nil)
      expect(device != "phone" || !isFresh)
    }
    // A step that changed nothing leads nowhere new.
    return world.family != before.family
  }

  private func generation(of token: TokenHash, _ world: World) -> Int? {
    world.issued.first { $0.token == token }?.generation
  }

  private static func isRefusal(_ decision: TokenFamily.Decision) -> Bool {
    if case .refused(.revoked) = decision { return true }
    return false
  }

  /// `#expect` hundreds of thousands of times is slow; only failures are worth it.
  private func expect(_ condition: Bool, _ location: SourceLocation = #_sourceLocation) {
    if !condition {
      Testing.Issue.record("an invariant does not hold", sourceLocation: location)
    }
  }
}
