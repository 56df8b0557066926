import Testing

@testable import DevBackend

/// How often a password may be tried, in milliseconds from an arbitrary zero.
@Suite struct LoginThrottleTests {
  private func throttle(_ perMinute: Int64, capacity: Int = 100) throws -> LoginThrottle {
    try #require(LoginThrottle(attemptsPerMinute: perMinute, capacity: capacity))
  }

  private func attempt(
    _ throttle: inout LoginThrottle,
    _ account: String = "ada",
    _ network: String? = nil,
    at now: Int64 = 0
  ) -> Int64? {
    switch throttle.attempt(account: account, network: network, at: now) {
    case .allowed: nil
    case .refused(let wait): wait
    }
  }

  @Test(arguments: [0, -1, .min] as [Int64])
  func `a rate of none is no limit`(rate: Int64) {
    #expect(LoginThrottle(attemptsPerMinute: rate) == nil)
  }

  @Test(
    arguments: [(1, 60_000), (2, 30_000), (7, 8_572), (10, 6_000), (60, 1_000), (59, 1_017)]
      as [(Int64, Int64)]
  )
  func `so many attempts at once, and then each when its share of a minute is over`(
    rate: Int64,
    share: Int64
  ) throws {
    var throttle = try throttle(rate)
    for _ in 0..<rate { #expect(attempt(&throttle) == nil) }
    #expect(attempt(&throttle) == share)
    #expect(attempt(&throttle, at: share - 1) == 1)
    #expect(attempt(&throttle, at: share) == nil)
    #expect(attempt(&throttle, at: share) == share)
    // And after a rest as at first.
    let later = share * (rate + 2)
    for _ in 0..<rate { #expect(attempt(&throttle, at: later) == nil) }
    #expect(attempt(&throttle, at: later) == share)
  }

  @Test func `who waits as told is let in`() throws {
    var throttle = try throttle(7)
    var now: Int64 = 12_345
    var allowed = 0
    for _ in 0..<1_000 {
      while let wait = attempt(&throttle, at: now) { now += wait }
      allowed += 1
    }
    #expect(allowed == 1_000)
    // Never faster than the rate, whatever the bursts.
    #expect(now - 12_345 >= (1_000 - 7) * 60_000 / 7)
  }

  @Test func `a refusal costs nothing, so that trying on does not prolong the wait`() throws {
    var throttle = try throttle(1)
    #expect(attempt(&throttle) == nil)
    for now in 0..<100 { #expect(attempt(&throttle, at: Int64(now)) == 60_000 - Int64(now)) }
    #expect(attempt(&throttle, at: 60_000) == nil)
  }

  @Test func `signing in is given back, and keeps nobody out`() throws {
    var throttle = try throttle(2)
    for _ in 0..<100 {
      #expect(attempt(&throttle, "ada", "net") == nil)
      throttle.succeeded(account: "ada", network: "net")
    }
    #expect(attempt(&throttle, "ada", "net") == nil)
    #expect(attempt(&throttle, "ada", "net") == nil)
    #expect(attempt(&throttle, "ada", "net") != nil)
  }

  @Test func `one account's attempts are not another's, and one network has ten accounts' worth`()
    throws
  {
    var throttle = try throttle(2)
    for number in 0..<10 {
      for _ in 0..<2 { #expect(attempt(&throttle, "user-\(number)", "net") == nil) }
      #expect(attempt(&throttle, "user-\(number)", "net") != nil)
    }
    // Spraying one password over many accounts.
    #expect(attempt(&throttle, "user-10", "net") != nil)
    #expect(attempt(&throttle, "user-10", "elsewhere") == nil)
    #expect(attempt(&throttle, "user-11", nil) == nil)
  }

  @Test func `a network that is refused takes nothing from the account, nor the other way`() throws
  {
    var throttle = try throttle(1)
    for number in 0..<10 { #expect(attempt(&throttle, "user-\(number)", "net") == nil) }
    #expect(attempt(&throttle, "ada", "net") != nil)
    #expect(attempt(&throttle, "ada", "elsewhere") == nil)
    // Nine more of the network are left.
    for _ in 0..<5 { #expect(attempt(&throttle, "ada", "elsewhere") != nil) }
    for number in 20..<29 { #expect(attempt(&throttle, "user-\(number)", "elsewhere") == nil) }
    #expect(attempt(&throttle, "user-29", "elsewhere") != nil)
  }

  @Test(arguments: [1, 5_000, 3_600_000, 1_000_000_000_000] as [Int64])
  func `a clock that is set back keeps nobody out for longer than a minute`(back: Int64) throws {
    var throttle = try throttle(3)
    for _ in 0..<3 { #expect(attempt(&throttle, at: 0) == nil) }
    let wait = try #require(attempt(&throttle, at: -back))
    #expect(wait <= 60_000)
    #expect(attempt(&throttle, at: -back + wait) == nil)
  }

  @Test func `a bounded number of buckets is kept, and those in use before the others`() throws {
    var throttle = try throttle(3, capacity: 10)
    for _ in 0..<3 { _ = attempt(&throttle, "victim", at: 0) }
    for number in 0..<1_000 { _ = attempt(&throttle, "user-\(number)", at: 1) }
    #expect(throttle.count <= 10)
    #expect(attempt(&throttle, "victim", at: 2) != nil)
    // What is full again is forgotten first.
    for number in 0..<9 { _ = attempt(&throttle, "later-\(number)", at: 120_000) }
    #expect(throttle.count <= 10)
  }

  @Test(
    arguments: [
      ("127.0.0.1", "7f000001"), ("::ffff:127.0.0.1", "7f000001"),
      ("2001:db8:1:2:3:4:5:6", "20010db800010002"), ("2001:db8:1:2::", "20010db800010002"),
      ("::1", "0000000000000000"), ("1.2.3", nil), ("localhost", nil), ("", nil),
      ("127.0.0.1:80", nil), ("[::1]", nil),
    ] as [(String, String?)]
  )
  func `an address stands for its network`(text: String, network: String?) {
    #expect(PeerAddress(text)?.network == network)
  }
}
