import Testing

@testable import DevBackend
@testable import DevBackendCluster

/// The decisions of an instance among others, without any server.
@Suite struct ClusterValueTests {
  @Test(arguments: [
    ("SELECT 1", "SELECT 1"), ("a = ? AND b = ?", "a = $1 AND b = $2"),
    ("a = '?' AND b = ?", "a = '?' AND b = $1"),
  ])
  func `values are numbered`(statement: String, numbered: String) {
    #expect(StatementText.numbered(statement) == numbered)
  }

  @Test(arguments: ["", "plain", "\0", "a\0\0b", "\u{1A}", "\u{1A}0", "\u{1A}\0\u{1A}1"])
  func `any text is stored without NUL, and comes back`(text: String) {
    let stored = StatementText.storable(text)
    #expect(!stored.unicodeScalars.contains("\0"))
    #expect(StatementText.restored(stored) == text)
  }

  @Test(arguments: [
    ("40001", PostgreSQLFault.conflict), ("40P01", .conflict), ("23505", .conflict),
    ("57P01", .lost), ("08006", .lost), ("25006", .lost), ("42601", .refused), ("57014", .refused),
  ])
  func `an error's code says whether the work is done again`(
    code: String,
    fault: PostgreSQLFault
  ) {
    #expect(PostgreSQLFault(sqlState: code) == fault)
  }

  @Test func `a server that is gone is asked for less and less often, and at once when it is back`()
  {
    var backoff = ReconnectBackoff()
    let start = ContinuousClock.now
    #expect(backoff.mayTry(at: start))
    let waits = (1...8).map { _ in backoff.failed(at: start, jitter: 1) }
    #expect(waits.map(\.milliseconds) == [50, 100, 200, 400, 800, 1_000, 1_000, 1_000])
    #expect(!backoff.mayTry(at: start + .milliseconds(999)))
    #expect(backoff.mayTry(at: start + .milliseconds(1_000)))
    #expect(backoff.failed(at: start, jitter: 0).milliseconds == 500)
    backoff.succeeded()
    #expect(backoff.mayTry(at: start))
    #expect(backoff.failed(at: start, jitter: 1).milliseconds == 50)
  }

  @Test func `the server's time is told by the local clock and what it is off by`() {
    let clock = DatabaseClock(local: BackendClock { 1_000_000 })
    #expect(clock.now == 1_000_000)
    // Asked and answered within 10 ms: the server is a minute ahead.
    clock.note(server: 1_060_005, asked: 1_000_000, answered: 1_000_010)
    #expect(clock.now == 1_060_000)
    // Less than what the answer's way may have taken is no news.
    clock.note(server: 1_060_012, asked: 1_000_000, answered: 1_000_010)
    #expect(clock.now == 1_060_000)
    clock.note(server: 1_000_000, asked: 1_000_000, answered: 1_000_002)
    #expect(clock.now == 999_999)
  }

  @Test(arguments: [
    ("dev.db", "dev.db"), ("postgres://host/chat", "postgres://host/chat"),
    ("postgres://ada:se@cret@host:1/chat?password=x", "postgres://host:1/chat"),
    ("postgres:///chat?host=/run", "postgres:///chat"),
  ])
  func `a URL is shown without what it holds of secrets`(url: String, shown: String) {
    #expect(BackendConfiguration.shown(url) == shown)
  }
}
