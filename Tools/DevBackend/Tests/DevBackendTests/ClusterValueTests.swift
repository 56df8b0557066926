import Dispatch
import Synchronization
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

  @Test(
    arguments: [
      ("redis://", "127.0.0.1", 6379, nil, nil, 0), ("redis://host", "host", 6379, nil, nil, 0),
      ("redis://host:1/3", "host", 1, nil, nil, 3), ("redis://[::1]:7", "::1", 7, nil, nil, 0),
      ("redis://:p%40ss@host", "host", 6379, nil, "p@ss", 0),
      ("redis://ada:se@cret@host:5/", "host", 5, "ada", "se@cret", 0),
    ] as [(String, String, Int32, String?, String?, Int)]
  )
  func `a Redis URL is taken apart`(
    url: String,
    host: String,
    port: Int32,
    user: String?,
    password: String?,
    database: Int
  ) throws {
    let address = try #require(RedisAddress(url))
    #expect((address.host, address.port) == (host, port))
    #expect((address.user, address.password) == (user, password))
    #expect(address.database == database)
  }

  @Test(arguments: [
    "http://host", "redis://host:0", "redis://host:x", "redis://host/x", "redis://[::1", "host",
    "redis://host:65536",
  ])
  func `what is no Redis URL is refused`(url: String) {
    #expect(RedisAddress(url) == nil)
  }

  @Test func `a Redis that is to be asked by TLS is refused, and never asked without`() {
    let libraries = ClusterLibraries(clock: nil)
    let error = #expect(throws: BackendError.self) {
      _ = try libraries.bus("rediss://:secret@127.0.0.1:6379") { 0 }
    }
    #expect(error?.message.contains("there is no TLS to Redis") == true)
    #expect(error?.message.contains("secret") == false)
  }

  @Test(
    arguments: [
      // Sent, heard and now, in milliseconds; what to do, and until when to wait.
      (0, 0, 0, .wait, 2_000), (0, 0, 1_999, .wait, 2_000), (0, 0, 2_000, .silent, 0),
      // Others hear of the server: the statement has its time.
      (0, 1_500, 2_000, .wait, 3_500), (0, 4_000, 4_500, .wait, 5_000), (0, 4_900, 5_000, .late, 0),
      // It said something just before the statement was sent, or long before.
      (1_000, 900, 2_999, .wait, 3_000), (9_000, 0, 9_000, .wait, 11_000),
      (0, 3_000, 5_000, .silent, 0),
    ] as [(Int, Int, Int, Waited, Int)]
  )
  func `a server may be slow for some, and must not be silent to all`(
    sent: Int,
    heard: Int,
    now: Int,
    outcome: Waited,
    until: Int
  ) {
    let start = ContinuousClock.now
    func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }
    let patience = Patience(limit: .seconds(5), silence: .seconds(2))
    let expected: Patience.Verdict =
      switch outcome {
      case .wait: .wait(until: at(until))
      case .silent: .silent
      case .late: .tooLong
      }
    #expect(patience.verdict(sent: at(sent), heard: at(heard), at: at(now)) == expected)
  }

  /// What ``Patience`` can say.
  enum Waited: Sendable {
    case wait
    case silent
    case late
  }

  @Test func `a silent server is asked once, and given up when it does not answer`() {
    let start = ContinuousClock.now
    var pings = RedisPings(at: start)
    #expect(pings.next(at: start + .milliseconds(999)) == .wait)
    #expect(pings.next(at: start + .seconds(1)) == .ping)
    #expect(pings.next(at: start + .milliseconds(3_999)) == .wait)
    #expect(pings.next(at: start + .seconds(4)) == .lost)
    pings.heard(at: start + .seconds(4))
    #expect(pings.next(at: start + .milliseconds(4_999)) == .wait)
    #expect(pings.next(at: start + .seconds(5)) == .ping)
  }

  @Test func `what happened to sessions is told together, without tokens, and not without end`()
    throws
  {
    let told = Mutex<[[JournalNote]]>([])
    let relay = JournalRelay(pause: .seconds(3_600)) { notes in told.withLock { $0.append(notes) } }
    let log = RequestLog(requestID: "one", time: ServerTime(BackendClock { 7 }), sink: relay.note)
    log("request", ["status": "200"])
    for number in 0..<(JournalRelay.capacity + 9) {
      log("refresh.rotated", ["sid": "ses", "token": "…abcdef", "generation": "\(number)"])
    }
    relay.tell()
    relay.tell()
    let notes = try #require(told.withLock { $0 }.first)
    #expect(told.withLock { $0 }.count == 1)
    let generations = (0..<JournalRelay.capacity).map { "\($0)" }
    #expect(notes.map { $0.details.map(\.value) } == generations.map { [$0] })
    #expect(notes.allSatisfy { $0.kind == "rotated" && $0.sessionID == "ses" && $0.time == 7 })
    let news = InstanceNews.events(notes)
    let wire = try #require(news.wire(from: "me"))
    #expect(InstanceNews.parse(wire)?.news == news)
    #expect(!String(decoding: wire, as: UTF8.self).contains("abcdef"))
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"from":"a"}"#, #"{"messages":"g"}"#, #"{"from":"a","typing":"g"}"#, "\0",
  ])
  func `what no instance says is passed over`(text: String) {
    #expect(InstanceNews.parse(Array(text.utf8)) == nil)
  }

  @Test func `a look is good for a moment, and tells of each revocation and message once`() {
    func look(_ revocation: Int64, _ groups: [String: Int64]) -> DatabaseLook {
      DatabaseLook(revoked: [], revocation: revocation, groups: groups)
    }
    let start = ContinuousClock.now
    var view = SharedView(look(3, ["a": 1]), begun: start)
    #expect(view.isFresh(at: start + .milliseconds(749)))
    #expect(!view.isFresh(at: start + .milliseconds(750)))
    #expect(view.take(look(5, ["a": 2, "b": 1]), begun: start + .seconds(1)) == ["a", "b"])
    // An older one that ends later takes nothing back.
    #expect(view.take(look(4, ["a": 1]), begun: start) == [])
    #expect(view.revocation == 5)
    #expect(view.isFresh(at: start + .milliseconds(1_749)))
    #expect(view.take(look(5, ["a": 2, "b": 1]), begun: start + .seconds(2)) == [])
  }
}
