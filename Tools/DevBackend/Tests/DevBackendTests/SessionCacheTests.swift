import Testing

@testable import DevBackend

/// How long a look-up of an opaque session is trusted, in milliseconds from an arbitrary zero.
@Suite struct SessionCacheTests {
  private var cache = SessionCache(lifetime: 60_000)

  private func session(_ id: String, until expiresAt: Int64 = 1_000_000) -> Principal {
    Principal(userID: "usr", sessionID: id, expiresAt: expiresAt, issuedAt: nil)
  }

  @Test(
    arguments: [(0, true), (59_999, true), (60_000, false), (-1, false)] as [(Int64, Bool)]
  )
  mutating func `a look-up is trusted for its time`(age: Int64, isTrusted: Bool) {
    cache.store(session("a"), "hash", at: 500)
    #expect((cache.principal("hash", at: 500 + age) != nil) == isTrusted)
    #expect(cache.principal("other", at: 500) == nil)
  }

  @Test(arguments: [(-5, 0), (0, 0), (10, 10), (60_000, 60_000), (3_600_000, 60_000)])
  func `no configuration makes it longer than a minute`(wished: Int64, lifetime: Int64) {
    #expect(SessionCache(lifetime: wished).lifetime == lifetime)
  }

  @Test func `without a lifetime nothing is kept`() {
    var cache = SessionCache(lifetime: 0)
    cache.store(session("a"), "hash", at: 0)
    #expect(cache.count == 0)
  }

  @Test mutating func `a session is not trusted beyond its own end`() {
    cache.store(session("a", until: 1_000), "hash", at: 0)
    #expect(cache.principal("hash", at: 999) != nil)
    #expect(cache.principal("hash", at: 1_000) == nil)
  }

  @Test mutating func `a session that ended is forgotten, and no other`() {
    cache.store(session("a"), "hash-a", at: 0)
    cache.store(session("b"), "hash-b", at: 0)
    cache.remove(session: "a")
    cache.remove(session: "unknown")
    #expect(cache.principal("hash-a", at: 1) == nil)
    #expect(cache.principal("hash-b", at: 1) == session("b"))
    #expect(cache.count == 1)
  }

  @Test func `a bounded number is kept, and what is in use makes room for what is new`() {
    var cache = SessionCache(lifetime: 100, capacity: 3)
    for number in 1...3 { cache.store(session("\(number)"), "\(number)", at: Int64(number)) }
    cache.store(session("3"), "3", at: 50)
    #expect(cache.count == 3)
    // The first two are too old.
    cache.store(session("4"), "4", at: 110)
    #expect(cache.count == 2)
    #expect(cache.principal("3", at: 110) != nil)
    for number in 5...100 { cache.store(session("\(number)"), "\(number)", at: 111) }
    #expect(cache.count <= 3)
    #expect(cache.principal("100", at: 111) == session("100"))
    cache.remove(session: "100")
    #expect(cache.principal("100", at: 111) == nil)
  }
}
