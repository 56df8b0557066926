import Foundation
import GRPC
import ProtobufWire
import Synchronization
import Testing

@testable import DevBackend
@testable import DevBackendCluster

/// Two instances on one PostgreSQL database and one Redis server.
@Suite(.timeLimit(.minutes(5))) struct ClusterTests {
  /// Runs two instances; without Redis where there is none.
  static func run(
    redis: RedisServer?,
    _ change: @escaping (inout BackendConfiguration) -> Void = { _ in },
    _ body: (Fixture, Fixture) async throws -> Void
  ) async throws {
    let url = try await PostgreSQLServer.shared.value.makeDatabase()
    func configure(_ configuration: inout BackendConfiguration) {
      configuration.database = url
      configuration.redis = redis?.url
      configuration.connector = ClusterLibraries(clock: nil, redisLimit: RedisServer.patience)
      change(&configuration)
    }
    try await Fixture.run {
      configure(&$0)
    } _: { here in
      try await Fixture.run {
        configure(&$0)
      } _: { there in
        try await body(here, there)
      }
    }
  }

  private static func me(_ fixture: Fixture, _ token: String) async throws -> TestAnswer {
    try await fixture.client.send("GET", "/auth/me", bearer: token)
  }

  @Test func `a session that ends on one instance is refused by the other, and its stream ends`()
    async throws
  {
    let redis = try await RedisServer.shared.value
    try await Self.run(redis: redis) { here, there in
      let token = try await here.registerSky().string("access_token")
      let stream = try await there.caller(token).subscribe()
      await there.log.waitFor("stream.subscribed")
      #expect(try await Self.me(there, token).status == 200)
      let id = try #require(try await here.inspector.sessions(of: "ada").first?.id)
      let deleted = try await here.client.send("DELETE", "/sessions/\(id)", bearer: token)
      #expect(deleted.status == 204)
      #expect(try await stream.nextEvent() == .sessionRevoked(.init(reason: "session_revoked")))
      #expect(await stream.ending() == .unauthenticated)
      #expect(try await Self.me(there, token).json["code"] == .string("session_revoked"))
      // For services that verify tokens themselves, for as long as one can be about.
      try await Waiting.until("Redis has the deny-list") {
        try await redis.run(["GET", RedisBus.denyPrefix + id]) != .null
      }
      guard case .integer(let left) = try await redis.run(["TTL", RedisBus.denyPrefix + id]) else {
        Issue.record("no lifetime")
        return
      }
      #expect((600...900).contains(left))
    }
  }

  @Test func `one rotation for requests on two instances at once, and grace for the rest`()
    async throws
  {
    try await Self.run(redis: nil) { here, there in
      let token = try await here.registerSky().string("refresh_token")
      let answers = try await withThrowingTaskGroup(of: TestAnswer.self) { group in
        for number in 1...12 {
          let fixture = number.isMultiple(of: 2) ? here : there
          group.addTask { try await fixture.refreshSky(token, attempt: "attempt-\(number)") }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.allSatisfy { $0.status == 200 && $0.json["access_token"] != nil })
      #expect(answers.filter { $0.json["refresh_token"] != nil }.count == 1)
      let session = try #require(try await there.inspector.sessions(of: "ada").first)
      #expect((session.rotations, session.graceAnswers) == (1, 11))
    }
  }

  @Test func `an attempt whose answer was lost gets a working pair from the other instance`()
    async throws
  {
    try await Self.run(redis: nil) { here, there in
      let token = try await here.registerSky().string("refresh_token")
      here.inspector.loseNextRefreshAnswers()
      await #expect(throws: TestClient.NoAnswer.self) {
        _ = try await here.refreshSky(token, attempt: "one")
      }
      let again = try await there.refreshSky(token, attempt: "one")
      let next = again.json.string("refresh_token")
      #expect(try await here.refreshSky(next, attempt: "two").status == 200)
      // Of what was spent long ago each instance knows that it is reuse.
      there.inspector.advanceClock(by: .seconds(60))
      let reuse = try await there.refreshSky(token, attempt: "three")
      #expect(reuse.json["code"] == .string("reuse_detected"))
    }
  }

  @Test func `messages reach streams of the other instance once and in order`() async throws {
    try await Self.run(redis: try await RedisServer.shared.value) { here, there in
      let token = try await here.registerSky().string("access_token")
      let stream = try await there.caller(token).subscribe()
      await there.log.waitFor("stream.subscribed")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (name, fixture) in [("here", here), ("there", there)] {
          group.addTask {
            let caller = try fixture.caller(token)
            for number in 1...10 { _ = try await caller.send("hi", id: "\(name)-\(number)") }
          }
        }
        try await group.waitForAll()
      }
      for sequence in 1...20 { #expect(try await stream.nextSequence() == UInt64(sequence)) }
      // The same id at the other instance is the same message.
      let first = try await here.caller(token).send("hi", id: "once")
      #expect(try await there.caller(token).send("hi", id: "once").sequence == first.sequence)
      #expect(try await stream.nextSequence() == 21)
    }
  }

  @Test func `what an instance could tell nobody any more is found in the database`() async throws {
    // Without Redis neither hears of the other, as of one that was killed after its commit.
    try await Self.run(redis: nil) { here, there in
      let token = try await here.registerSky().string("access_token")
      let stream = try await there.caller(token).subscribe()
      await there.log.waitFor("stream.subscribed")
      _ = try await here.caller(token).send("hi", id: "one")
      #expect(try await stream.nextSequence() == 1)
      let id = try #require(try await here.inspector.sessions(of: "ada").first?.id)
      try await here.inspector.revokeSession(id)
      #expect(await stream.ending() == .unauthenticated)
      #expect(try await Self.me(there, token).json["code"] == .string("session_revoked"))
    }
  }

  @Test func `the inspector of one instance shows what happened on another, without its tokens`()
    async throws
  {
    try await Self.run(redis: try await RedisServer.shared.value) { here, there in
      let token = try await here.registerSky().string("refresh_token")
      #expect(try await here.refreshSky(token, attempt: "far-away").status == 200)
      let journal = there.inspector.core.operations.journal
      try await Waiting.until("the other instance has heard") {
        journal.events().contains { $0.requestID == "far-away" }
      }
      let event = try #require(journal.events().first { $0.requestID == "far-away" })
      let session = try #require(try await here.inspector.sessions(of: "ada").first)
      #expect((event.kind, event.sessionID) == ("rotated", session.id))
      #expect(event.details.contains { $0.name == "generation" && $0.value == "1" })
      #expect(event.details.contains { $0.name == "instance" })
      #expect(!event.details.contains { $0.value.contains(token.suffix(6)) })
      // Of what it did itself an instance hears nothing; the other tests' share the bus.
      #expect(
        !here.inspector.core.operations.journal.events().contains { event in
          event.sessionID == session.id && event.details.contains { $0.name == "instance" }
        }
      )
    }
  }

  @Test func `without Redis there is a 503 and no wrong yes, and nothing is missed afterwards`()
    async throws
  {
    let redis = try await RedisServer.started()
    try await Self.run(redis: redis) { here, there in
      let session = try await here.registerSky("ada")
      let (token, refresh) = (session.string("access_token"), session.string("refresh_token"))
      let other = try await here.registerSky("bob").string("access_token")
      let stream = try await there.caller(other).subscribe()
      await there.log.waitFor("stream.subscribed")
      _ = try await here.caller(other).send("hi", id: "1")
      #expect(try await stream.nextSequence() == 1)

      try await redis.kill()
      #expect(await stream.ending() == .unavailable)
      await here.log.waitFor("bus.lost")
      for fixture in [here, there] {
        let answer = try await Self.me(fixture, token)
        #expect(answer.status == 503)
        #expect(answer.headers["retry-after"] == "1")
        let ready = try await fixture.client.send("GET", "/readyz")
        #expect(ready.status == 503)
      }
      // What needs no look at the deny-list goes on: a refresh, and a sign-out.
      let pair = try await here.refreshSky(refresh)
      #expect(pair.status == 200)
      let body = JSONValue.of(["refresh_token": .string(pair.json.string("refresh_token"))])
      #expect(try await here.client.send("POST", "/auth/logout", body).status < 300)
      let draft = GroupService.Draft(groupID: "general", clientMessageID: "2", body: "hi")
      let bob = try #require(try await here.inspector.sessions(of: "bob").first?.userID)
      _ = try await GroupService(core: here.inspector.core).send(draft, by: bob)

      try await redis.start()
      try await Waiting.until("the other instance serves again") {
        try await Self.me(there, other).status == 200
      }
      #expect(try await Self.me(there, token).json["code"] == .string("session_revoked"))
      let next = try await there.caller(other).subscribe(after: 1)
      #expect(try await next.nextSequence() == 2)
    }
    try await redis.remove()
  }

  @Test func `a Redis that comes back empty is told again which sessions have ended`() async throws
  {
    let redis = try await RedisServer.started()
    try await Self.run(redis: redis) { here, _ in
      let token = try await here.registerSky().string("access_token")
      let id = try #require(try await here.inspector.sessions(of: "ada").first?.id)
      let deleted = try await here.client.send("DELETE", "/sessions/\(id)", bearer: token)
      #expect(deleted.status == 204)
      let key = RedisBus.denyPrefix + id
      try await Waiting.until("Redis has the deny-list") {
        try await redis.run(["GET", key]) != .null
      }
      try await redis.kill()
      await here.log.waitFor("bus.lost")
      try await redis.start()
      try await Waiting.until("Redis has the deny-list again") {
        try await redis.run(["GET", key]) != .null
      }
      guard case .integer(let left) = try await redis.run(["TTL", key]) else {
        Issue.record("no lifetime")
        return
      }
      #expect((600...900).contains(left))
    }
    try await redis.remove()
  }

  @Test func `a long deny-list is written again whole, but for what has expired`() async throws {
    let redis = try await RedisServer.started()
    let address = try #require(RedisAddress(redis.url))
    let bus = RedisBus(address, limit: RedisServer.patience, now: { 1_000 })
    let ended = (0..<1_201).map { number in
      // Long, lest one expires before it is counted; the first has expired.
      Revoked(
        sessionID: "ses_\(number)",
        reason: .revoked,
        accessUntil: number == 0 ? 1_000 : 3_600_000
      )
    }
    bus.restore(ended)
    try await Waiting.until("Redis has all") { try await redis.run(["DBSIZE"]) == .integer(1_200) }
    #expect(try await redis.run(["GET", RedisBus.denyPrefix + "ses_0"]) == .null)
    bus.leave()
    try await redis.remove()
  }

  @Test func `an instance that starts while Redis is away serves as soon as it is there`()
    async throws
  {
    let redis = try await RedisServer.started()
    try await redis.kill()
    try await Self.run(redis: redis) { here, _ in
      let token = try await here.registerSky().string("access_token")
      #expect(try await Self.me(here, token).status == 503)
      try await redis.start()
      try await Waiting.until("it serves") { try await Self.me(here, token).status == 200 }
    }
    try await redis.remove()
  }

  @Test func `a server that is cut off lets nobody in on the word of an old look`() async throws {
    let server = try await PostgreSQLServer.started()
    let url = server.url()
    try await Fixture.run {
      $0.database = url
      $0.connector = ClusterLibraries(clock: nil)
      $0.databaseTimeout = .seconds(2)
    } _: { fixture in
      let token = try await fixture.registerSky().string("access_token")
      let stream = try await fixture.caller(token).subscribe()
      await fixture.log.waitFor("stream.subscribed")
      try server.pause()
      // The signature is good, but nobody can say whether the session was ended elsewhere.
      try await Waiting.until("nobody is let in") {
        try await Self.me(fixture, token).status == 503
      }
      #expect(await stream.ending() == .unavailable)
      try server.proceed()
      try await Waiting.until("it serves") { try await Self.me(fixture, token).status == 200 }
    }
    try await server.remove()
  }

  @Test func `who is about to hear is heard`() async throws {
    let redis = try await RedisServer.shared.value
    let address = try #require(RedisAddress(redis.url))
    let buses = (0..<2).map { _ in RedisBus(address, limit: RedisServer.patience, now: { 0 }) }
    let (events, event) = AsyncStream<InstanceNews>.makeStream()
    let isThere = DispatchSemaphore(value: 0)
    try await Executable.off {
      buses[0].join { news in
        event.yield(news)
        return true
      }
      buses[1].join { _ in
        // As long as it looks at what it has missed.
        isThere.wait()
        isThere.signal()
        return true
      }
    }
    let news = InstanceNews.messages(group: "group-\(UUID().uuidString)")
    buses[1].publish(news)
    // Other tests talk on the same channel.
    for await next in events where next == news { break }
    isThere.signal()
    for bus in buses { bus.leave() }
  }

  @Test func `what Redis refused is told again, without a new connection`()
    async throws
  {
    let redis = try await RedisServer.started()
    let address = try #require(RedisAddress(redis.url))
    let buses = (0..<2).map { _ in RedisBus(address, limit: RedisServer.patience, now: { 0 }) }
    let (events, event) = AsyncStream<InstanceNews>.makeStream()
    try await Executable.off {
      buses[0].join { _ in true }
      buses[1].join { news in
        event.yield(news)
        return true
      }
    }
    var iterator = events.makeAsyncIterator()
    #expect(await iterator.next() == .hearing)
    try await Waiting.until("both hear") {
      try await redis.run(["PUBSUB", "NUMSUB", RedisBus.channel])
        == .array([.text(Array(RedisBus.channel.utf8)), .integer(2)])
    }
    try await redis.run(["ACL", "SETUSER", "default", "-publish"])
    let revoked = Revoked(sessionID: "ses_1", reason: .revoked, accessUntil: 60_000)
    buses[0].publish(.revoked([revoked]))
    try await Waiting.until("it is refused") {
      guard case .array(let refused) = try await redis.run(["ACL", "LOG"]) else { return false }
      return !refused.isEmpty
    }
    try await redis.run(["ACL", "SETUSER", "default", "+publish"])
    #expect(await iterator.next() == .revoked([revoked]))
    #expect(try await redis.run(["GET", RedisBus.denyPrefix + "ses_1"]) != .null)
    for bus in buses { bus.leave() }
    try await redis.remove()
  }

  @Test func `a bus tells the others everything, and itself nothing`() async throws {
    let redis = try await RedisServer.shared.value
    let address = try #require(RedisAddress(redis.url))
    let buses = (0..<2).map { _ in RedisBus(address, limit: RedisServer.patience, now: { 0 }) }
    let (events, event) = AsyncStream<InstanceNews>.makeStream()
    try await Executable.off {
      buses[0].join { _ in true }
      buses[1].join { news in
        event.yield(news)
        return true
      }
    }
    var iterator = events.makeAsyncIterator()
    #expect(await iterator.next() == .hearing)
    let group = "group-\(UUID().uuidString) \" é"
    let sent: [InstanceNews] = [
      .messages(group: group), .typing(TypingSignal(groupID: group, userID: "u")),
      .revoked([Revoked(sessionID: group, reason: .reuseDetected, accessUntil: 12)]),
      .events([
        JournalNote(
          time: 7,
          kind: "ended",
          sessionID: group,
          requestID: nil,
          details: [BackendLogLine.Field(name: "reason", value: "logged_out")]
        )
      ]),
    ]
    // Heard by nobody here, as its own.
    buses[1].publish(.messages(group: group))
    for news in sent { buses[0].publish(news) }
    for news in sent {
      // Other tests talk on the same channel.
      while let next = await iterator.next(), next != news { #expect(!sent.contains(next)) }
    }
    for bus in buses { bus.leave() }
  }
}
