import Testing

@testable import DevBackend

/// When signing keys sign, verify and go, in seconds from an arbitrary zero.
@Suite struct SigningKeyScheduleTests {
  private static func policy(every interval: Int64? = nil) -> SigningKeySchedule.Policy {
    .init(
      accessLifetime: 900_000,
      announcement: 600_000,
      interval: interval.map { $0 * 1_000 }
    )
  }

  private static func schedule(_ entries: (String, Int64)...) -> SigningKeySchedule {
    SigningKeySchedule(entries.map { .init(id: $0.0, signsFrom: $0.1 * 1_000) })
  }

  @Test(
    arguments: [
      (0, "old", ["old", "new"]), (599, "old", ["old", "new"]), (600, "new", ["old", "new"]),
      (600 + 900 + 59, "new", ["old", "new"]), (600 + 900 + 60, "new", ["new"]),
      (1_000_000, "new", ["new"]),
      // A clock that was set back.
      (-5_000, "old", ["old", "new"]),
    ] as [(Int64, String, [String])]
  )
  func `a key signs when announced, and verifies while its tokens live`(
    second: Int64,
    signing: String,
    verifying: [String]
  ) {
    let schedule = Self.schedule(("new", 600), ("old", 0))
    let now = second * 1_000
    #expect(schedule.signing(at: now) == signing)
    #expect(schedule.verifying(at: now, Self.policy()) == verifying)
    let forgotten = ["old", "new"].filter { !verifying.contains($0) }
    #expect(schedule.forgotten(at: now, Self.policy()) == forgotten)
  }

  @Test(
    arguments: [
      (nil, 1_000_000_000, nil), (3_600, 2_999, nil), (3_600, 3_000, 3_600), (3_600, 3_300, 3_900),
      (3_600, 9_000, 9_600), (300, 0, 600),
    ] as [(Int64?, Int64, Int64?)]
  )
  func `the next key is due an announcement before its time`(
    interval: Int64?,
    second: Int64,
    signsFrom: Int64?
  ) {
    let due = Self.schedule(("only", 0)).due(at: second * 1_000, Self.policy(every: interval))
    #expect(due == signsFrom.map { $0 * 1_000 })
  }

  @Test func `the first key signs at once, and a requested one when it was announced`() {
    let none = SigningKeySchedule([])
    #expect(none.signing(at: 5) == nil)
    #expect(none.due(at: 5, Self.policy()) == 5)
    #expect(none.requested(at: 5, Self.policy()) == 5)
    #expect(Self.schedule(("only", 0)).requested(at: 5, Self.policy()) == 600_005)
  }

  /// One instance's idea of the keys, read a while ago.
  private struct Instance {
    var schedule: SigningKeySchedule
    var readAt: Int64
  }

  @Test(arguments: [60, 300, 900, 3_600, 86_400] as [Int64])
  func `every token verifies on every instance for as long as it lives`(interval: Int64) {
    let policy = Self.policy(every: interval)
    let (step, staleness): (Int64, Int64) = (15_000, 30_000)
    var stored = Self.schedule(("0", 0))
    var instances = [Instance](repeating: Instance(schedule: stored, readAt: 0), count: 2)
    /// By key, when the last token signed with it expires.
    var lives: [String: Int64] = [:]
    /// By key, when it was first published everywhere.
    var announced: [String: Int64] = [:]
    var made = 1
    for now in stride(from: 0, through: 2 * 86_400_000, by: Int(step)).map(Int64.init) {
      for index in instances.indices where now - instances[index].readAt >= staleness || now == 0 {
        if let signsFrom = stored.due(at: now, policy) {
          stored = SigningKeySchedule(stored.entries + [.init(id: "\(made)", signsFrom: signsFrom)])
          announced["\(made)"] = now
          made += 1
        }
        let forgotten = stored.forgotten(at: now, policy)
        stored = SigningKeySchedule(stored.entries.filter { !forgotten.contains($0.id) })
        // The second instance reads one step later than the first.
        instances[index] = Instance(schedule: stored, readAt: now + Int64(index) * step)
      }
      for instance in instances {
        guard let key = instance.schedule.signing(at: now) else {
          Issue.record("no key signs at \(now)")
          return
        }
        lives[key] = now + policy.accessLifetime
        let since = announced[key] ?? -policy.announcement
        guard now - since >= policy.announcement else {
          Issue.record("key \(key) signs at \(now), announced at \(since)")
          return
        }
      }
      for (key, until) in lives where until > now {
        for instance in instances
        where !instance.schedule.verifying(at: now, policy).contains(key) {
          Issue.record("a token of key \(key) is refused at \(now)")
          return
        }
      }
    }
    #expect(made > 2 * 86_400 / max(interval, 600) - 2)
    // Nothing piles up.
    #expect(stored.entries.count <= 4 + Int((900 + 60 + 600) / interval))
  }
}
