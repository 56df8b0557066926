import Testing

@testable import DevBackend

/// The rules of a token family, one by one.
///
/// Times are in milliseconds from an arbitrary zero.
@Suite struct TokenFamilyTests {
  private static let policy = TokenFamily.Policy(lifetime: 1_000, grace: 10, reuseScope: .family)

  private var family = TokenFamily(
    id: "ses",
    userID: "usr",
    deviceID: "phone",
    live: [TokenFamily.LiveToken(hash: "A", issuedAt: 0, expiresAt: 1_000)]
  )

  @discardableResult
  private mutating func present(
    _ token: TokenHash,
    attempt: String? = nil,
    device: String? = "phone",
    at now: Int64 = 0,
    next: TokenHash = "unused",
    policy: TokenFamily.Policy = Self.policy
  ) -> TokenFamily.Decision {
    family.present(
      TokenFamily.Presentation(token: token, deviceID: device, attemptID: attempt, now: now),
      successor: next,
      policy: policy
    )
  }

  @Test mutating func `every use rotates the token`() {
    #expect(present("A", at: 5, next: "B") == .rotated)
    #expect(family.live == [TokenFamily.LiveToken(hash: "B", issuedAt: 5, expiresAt: 1_005)])
    #expect(present("B", at: 6, next: "C") == .rotated)
    #expect(family.live.map(\.hash) == ["C"])
    #expect(family.generation == 2)
  }

  @Test mutating func `a token that is unknown changes nothing`() {
    let before = family
    #expect(present("Z") == .refused(.unknownToken))
    #expect(family == before)
  }

  @Test(arguments: [(999, true), (1_000, false), (5_000, false)] as [(Int64, Bool)])
  mutating func `a token is good until its expiry`(now: Int64, isGood: Bool) {
    let expected: TokenFamily.Decision = isGood ? .rotated : .refused(.expired)
    #expect(present("A", at: now, next: "B") == expected)
    #expect(family.revocation == nil)
  }

  @Test(arguments: [(0, true), (9, true), (10, false), (900, false)] as [(Int64, Bool)])
  mutating func `another request with the old token is graced, and after the window is a reuse`(
    later: Int64,
    isGraced: Bool
  ) {
    present("A", attempt: "one", at: 5, next: "B")
    let before = family
    let decision = present("A", attempt: "two", at: 5 + later, next: "C")
    #expect(decision == (isGraced ? .grace : .revoked(.reuseDetected, .family)))
    #expect((family == before) == isGraced)
  }

  @Test mutating func `a grace answer leaves the rotated token good`() {
    present("A", attempt: "one", next: "B")
    #expect(present("A", attempt: "two", at: 1, next: "C") == .grace)
    #expect(present("B", attempt: "three", at: 2, next: "D") == .rotated)
  }

  @Test(arguments: [1, 500, 999] as [Int64])
  mutating func `the same attempt gets a working pair, however late`(now: Int64) {
    present("A", attempt: "one", next: "B")
    #expect(present("A", attempt: "one", at: now, next: "C") == .resent)
    #expect(present("C", attempt: "two", at: now, next: "D") == .rotated)
    #expect(family.live.map(\.hash) == ["D"])
  }

  @Test mutating func `the pair of the first answer works too, should it have arrived after all`() {
    present("A", attempt: "one", next: "B")
    present("A", attempt: "one", at: 1, next: "C")
    #expect(present("B", attempt: "two", at: 2, next: "D") == .rotated)
  }

  @Test mutating func `a sibling of a used token is spent with it`() {
    present("A", attempt: "one", next: "B")
    present("A", attempt: "one", at: 1, next: "C")
    present("C", attempt: "two", at: 2, next: "D")
    #expect(present("B", attempt: "two", at: 500) == .revoked(.reuseDetected, .family))
  }

  @Test mutating func `once a successor was used, the same attempt is a reuse`() {
    present("A", attempt: "one", next: "B")
    present("B", attempt: "two", at: 20, next: "C")
    #expect(present("A", attempt: "one", at: 21) == .revoked(.reuseDetected, .family))
  }

  @Test mutating func `a late copy of an attempt within the window is graced`() {
    present("A", attempt: "one", next: "B")
    present("B", attempt: "two", at: 2, next: "C")
    #expect(present("A", attempt: "one", at: 3) == .grace)
    #expect(family.live.map(\.hash) == ["C"])
  }

  @Test mutating func `requests without an id are never taken for one attempt`() {
    present("A", attempt: nil, next: "B")
    #expect(present("A", attempt: nil, at: 1) == .grace)
    #expect(present("A", attempt: nil, at: 10) == .revoked(.reuseDetected, .family))
  }

  @Test mutating func `a resend after everything expired is refused, and is no theft`() {
    present("A", attempt: "one", next: "B")
    #expect(present("A", attempt: "one", at: 1_000) == .refused(.expired))
    #expect(family.revocation == nil)
  }

  @Test mutating func `a reuse is noticed long after the reused token would have expired`() {
    present("A", attempt: "one", at: 0, next: "B")
    present("B", attempt: "two", at: 900, next: "C")
    #expect(present("A", attempt: "x", at: 1_500) == .revoked(.reuseDetected, .family))
  }

  @Test(arguments: ["tablet", nil])
  mutating func `another device's use ends the session`(device: String?) {
    #expect(present("A", device: device) == .revoked(.deviceMismatch, .family))
    #expect(present("A") == .refused(.revoked(.deviceMismatch)))
  }

  @Test mutating func `another device is refused even within the grace window`() {
    present("A", attempt: "one", next: "B")
    #expect(
      present("A", attempt: "one", device: "tablet", at: 1)
        == .revoked(.deviceMismatch, .family)
    )
  }

  @Test mutating func `a session that is bound to no device takes any`() {
    family = TokenFamily(
      id: "ses",
      userID: "usr",
      deviceID: nil,
      live: [TokenFamily.LiveToken(hash: "A", issuedAt: 0, expiresAt: 1_000)]
    )
    #expect(present("A", device: nil, next: "B") == .rotated)
    #expect(present("B", device: "tablet", next: "C") == .rotated)
  }

  @Test(arguments: [TokenFamily.ReuseScope.family, .user])
  mutating func `how far a reuse reaches is the policy's to say`(scope: TokenFamily.ReuseScope) {
    var policy = Self.policy
    policy.reuseScope = scope
    present("A", attempt: "one", next: "B")
    #expect(
      present("A", attempt: "two", at: 100, policy: policy) == .revoked(.reuseDetected, scope)
    )
  }

  @Test(arguments: [RevocationReason.loggedOut, .revoked, .reuseDetected, .deviceMismatch])
  mutating func `a session that is over refuses all its tokens, and says why`(
    reason: RevocationReason
  ) {
    present("A", attempt: "one", next: "B")
    family.revoke(reason)
    family.revoke(.revoked)
    for token in ["A", "B", "Z"] {
      #expect(present(token, attempt: "one", at: 1) == .refused(.revoked(reason)))
    }
  }

  @Test mutating func `a clock that was set back makes no theft`() {
    present("A", attempt: "one", at: 500, next: "B")
    #expect(present("A", attempt: "two", at: 100) == .grace)
  }

  @Test mutating func `resends without end give out pairs that work, and then none for a while`() {
    let policy = TokenFamily.Policy(lifetime: 10_000_000, grace: 10, reuseScope: .family)
    present("A", attempt: "one", next: "B0", policy: policy)
    var given = ["B0"]
    for number in 1...40 {
      let now = Int64(number)
      let decision = present("A", attempt: "one", at: now, next: "B\(number)", policy: policy)
      if decision == .resent { given.append("B\(number)") }
      if number >= TokenFamily.promptSiblings {
        #expect(decision == .tooMany(retryAfter: 60_015 - now))
      }
    }
    #expect(given.count == TokenFamily.promptSiblings)
    #expect(family.live.map(\.hash) == given)
    // One a minute goes on, so that whoever loses every answer gets one in the end.
    for minute in 1...3 as ClosedRange<Int64> {
      let now = 15 + minute * 60_000
      #expect(
        present("A", attempt: "one", at: now - 1, policy: policy) == .tooMany(retryAfter: 1)
      )
      #expect(present("A", attempt: "one", at: now, next: "C\(minute)", policy: policy) == .resent)
    }
    let all = family
    for token in all.live.map(\.hash) {
      family = all
      #expect(present(token, attempt: "two", at: 200_000, next: "D", policy: policy) == .rotated)
    }
  }

  @Test mutating func `siblings that have expired count no more`() {
    present("A", attempt: "one", next: "B0")
    for number in 1...15 { present("A", attempt: "one", next: "B\(number)") }
    #expect(present("A", attempt: "one", at: 999) == .tooMany(retryAfter: 59_001))
    #expect(present("A", attempt: "one", at: 1_000) == .refused(.expired))
  }

  @Test mutating func `a clock that was set back keeps nobody waiting for longer than the pause`() {
    present("A", attempt: "one", at: 900, next: "B0")
    for number in 1...15 { present("A", attempt: "one", at: 900, next: "B\(number)") }
    #expect(present("A", attempt: "one", at: 0) == .tooMany(retryAfter: 60_000))
  }
}
