import Testing

@testable import GroupMessages

@Suite struct BackoffTests {
  @Test func `it doubles from one second to half a minute`() {
    var backoff = Backoff()
    let waits = (0..<7).map { _ in backoff.next(retryAfter: nil, chance: 1) }
    #expect(waits == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
  }

  @Test func `half of the wait is by chance`() {
    var backoff = Backoff()
    #expect(backoff.next(retryAfter: nil, chance: 0) == .milliseconds(500))
  }

  @Test(arguments: [-1, 7, Double.infinity, -.infinity, .nan])
  func `a chance that is none does no harm`(chance: Double) {
    var backoff = Backoff()
    let wait = backoff.next(retryAfter: nil, chance: chance)
    #expect((.milliseconds(500)...(.seconds(1))).contains(wait))
  }

  @Test func `it obeys the server, up to ten minutes`() {
    var backoff = Backoff()
    #expect(backoff.next(retryAfter: .seconds(45), chance: 1) == .seconds(45))
    #expect(backoff.next(retryAfter: .seconds(100_000), chance: 1) == .seconds(600))
    #expect(backoff.next(retryAfter: .seconds(-5), chance: 1) == .seconds(4))
  }

  @Test func `a success starts it afresh`() {
    var backoff = Backoff()
    _ = backoff.next(retryAfter: nil, chance: 1)
    backoff.reset()
    #expect(backoff.next(retryAfter: nil, chance: 1) == .seconds(1))
  }

  @Test func `no number of failures overflows`() {
    var backoff = Backoff()
    for _ in 0..<200 { _ = backoff.next(retryAfter: nil, chance: 1) }
    #expect(backoff.next(retryAfter: nil, chance: 1) == .seconds(30))
  }
}
