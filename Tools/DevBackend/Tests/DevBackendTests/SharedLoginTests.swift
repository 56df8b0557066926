import Foundation
import Testing

@testable import DevBackend
@testable import DevBackendCluster

/// How often a password may be tried on several instances together.
@Suite(.timeLimit(.minutes(5))) struct SharedLoginTests {
  @Test func `wrong passwords count on all instances together, and on each without Redis`()
    async throws
  {
    let redis = try await RedisServer.started()
    let start = BackendClock.system.now()
    try await ClusterTests.run(redis: redis) {
      $0.loginRate = 3
      $0.clock = BackendClock { start }
    } _: { here, there in
      func logIn(_ fixture: Fixture, _ name: String, _ password: String) async throws -> TestAnswer
      {
        try await fixture.client.send(
          "POST",
          "/auth/login",
          .of([
            "email": .string("\(name)@example.com"), "password": .string(password),
            "device_id": .string("phone"),
          ])
        )
      }
      _ = try await here.registerSky("ada")
      // What succeeds is given back, on whichever instance.
      for fixture in [here, there, here, there] {
        #expect(try await logIn(fixture, "ada", "SecurePass1").status == 200)
      }
      // There is such a user or not, in whatever letters.
      for name in ["ada", "nobody"] {
        for (fixture, typed) in [(here, name), (there, name.uppercased()), (here, name)] {
          #expect(try await logIn(fixture, typed, "WrongPass1").status == 401)
        }
        for fixture in [here, there] {
          let answer = try await logIn(fixture, name, "SecurePass1")
          #expect(answer.status == 429)
          #expect(answer.headers["retry-after"] == "20")
        }
      }
      guard case .array(let keys) = try await redis.run(["KEYS", "*"]) else {
        Issue.record("no keys")
        return
      }
      for case .text(let key) in keys {
        let name = String(decoding: key, as: UTF8.self)
        #expect(!name.contains("ada") && !name.contains("nobody") && !name.contains("127"))
      }
      try await redis.kill()
      for fixture in [here, there] {
        for _ in 1...3 { #expect(try await logIn(fixture, "eve", "WrongPass1").status == 401) }
        #expect(try await logIn(fixture, "eve", "WrongPass1").status == 429)
      }
    }
    try await redis.remove()
  }

  @Test func `Redis counts attempts as the bucket of one instance does`() async throws {
    let redis = try await RedisServer.shared.value
    let address = try #require(RedisAddress(redis.url))
    let shared = RedisAttempts(address, limit: RedisServer.patience)
    for rate in [1, 3, 7] as [Int64] {
      let rate = try #require(AttemptBucket.Rate(attemptsPerMinute: rate))
      let bucket = SharedBucket(key: "test:\(UUID().uuidString)", rate: rate)
      // The keys live by Redis's clock, and must outlast the test.
      var now = BackendClock.system.now() + 3_600_000
      var model = AttemptBucket(at: now)
      for number in 1...60 as ClosedRange<Int64> {
        let wait = model.wait(at: now, rate)
        let instant = now
        let answer = try await Executable.off { shared.take([bucket], at: instant) }
        #expect(answer == wait ?? 0)
        if wait == nil { model.take(at: now, rate) }
        if wait == nil, number % 3 == 0 {
          model.giveBack(rate)
          try await Executable.off { shared.giveBack([bucket], at: instant) }
        }
        now += number * 7_919 % 40_000
      }
      // A clock that is set back keeps nobody out for longer than an empty bucket does.
      while model.wait(at: now, rate) == nil {
        model.take(at: now, rate)
        let instant = now
        #expect(try await Executable.off { shared.take([bucket], at: instant) } == 0)
      }
      for step in [-3_600_000, 0, rate.share] {
        now += step
        let instant = now
        let answer = try await Executable.off { shared.take([bucket], at: instant) }
        #expect(answer == model.wait(at: now, rate) ?? 0)
      }
    }
    shared.close()
    #expect(try await Executable.off { shared.take([], at: 0) } == nil)
  }
}
