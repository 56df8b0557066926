import GRPC
import ProtobufWire
import Testing

@testable import DevBackend

/// Sessions that end on one instance, for the other instances.
@Suite(.timeLimit(.minutes(5)), .onEachDatabase) struct InstanceBusTests {
  private let log = RequestLog(requestID: nil, time: ServerTime(.system)) { _ in }

  private func core(_ bus: any InstanceBus) throws -> BackendCore {
    try BackendCore(
      .testing(),
      time: ServerTime(BackendClock { 1_000_000 }),
      faults: FaultSwitches(),
      bus: bus
    )
  }

  private func revoked(_ id: String, until: Int64 = 2_000_000) -> Revoked {
    Revoked(sessionID: id, reason: .reuseDetected, accessUntil: until)
  }

  @Test func `a session that ends on one instance is refused by every other`() throws {
    let bus = InMemoryBus()
    let (here, there) = (try core(bus), try core(InMemoryBus(beside: bus)))
    here.publish([revoked("ses_1")], log)
    #expect(here.denyList.reason(for: "ses_1") == .reuseDetected)
    #expect(there.denyList.reason(for: "ses_1") == .reuseDetected)
    #expect(there.denyList.reason(for: "ses_2") == nil)
  }

  @Test func `an instance that left hears nothing`() throws {
    let bus = InMemoryBus()
    let (here, there) = (try core(bus), try core(InMemoryBus(beside: bus)))
    there.close()
    here.publish([revoked("ses_1")], log)
    #expect(here.denyList.reason(for: "ses_1") == .reuseDetected)
    #expect(there.denyList.reason(for: "ses_1") == nil)
  }

  @Test func `a stream ends when another instance revokes its session, and is told why`()
    async throws
  {
    let bus = InMemoryBus()
    try await Fixture.run(bus: bus) { fixture in
      let session = try await fixture.registerSky()
      let stream = try await fixture.caller(session.string("access_token")).subscribe()
      await fixture.log.waitFor("stream.subscribed")
      let id = try #require(try await fixture.inspector.sessions(of: "ada").first?.id)
      let elsewhere = InMemoryBus(beside: bus)
      elsewhere.publish(.revoked([revoked(id, until: .max)]))
      #expect(
        try await stream.nextEvent() == .sessionRevoked(SessionRevoked(reason: "reuse_detected"))
      )
      #expect(await stream.ending() == .unauthenticated)
    }
  }

  @Test func `while revocations may be missed no token is let in, and none is called wrong`()
    async throws
  {
    let bus = InMemoryBus()
    try await Fixture.run(bus: bus) { fixture in
      let session = try await fixture.registerSky()
      let token = session.string("access_token")
      let caller = try fixture.caller(token)
      let stream = try await caller.subscribe()
      await fixture.log.waitFor("stream.subscribed")
      bus.tell(.deaf)
      #expect(await stream.ending() == .unavailable)
      #expect(try await caller.subscribe().ending() == .unavailable)
      let refused = try await fixture.client.send("GET", "/auth/me", bearer: token)
      #expect(refused.status == 503)
      #expect(refused.headers["retry-after"] == "1")
      // A refresh asks the database, which knows.
      #expect(try await fixture.refreshSky(session.string("refresh_token")).status == 200)
      bus.tell(.hearing)
      #expect(try await fixture.client.send("GET", "/auth/me", bearer: token).status == 200)
    }
  }

  @Test func `what was missed is read from the database when hearing is back`() async throws {
    let bus = InMemoryBus()
    try await Fixture.run(bus: bus) { fixture in
      let token = try await fixture.registerSky().string("access_token")
      let id = try #require(try await fixture.inspector.sessions(of: "ada").first?.id)
      bus.tell(.deaf)
      // As another instance does it: in the database, and unheard of here.
      let core = fixture.inspector.core
      let now = core.time.now
      let ended = try await core.database.perform {
        try FamilyTable.revoke([id], reason: .revoked, now: now, $0)
      }
      #expect(ended.count == 1)
      bus.tell(.hearing)
      let answer = try await fixture.client.send("GET", "/auth/me", bearer: token)
      #expect(answer.json["code"] == .string("session_revoked"))
    }
  }

  @Test func `an entry is kept for as long as an access token can live, and not for ever`() {
    let list = DenyList([revoked("ses_0", until: 900)])
    // Each minute a thousand sessions end, whose tokens live for 15 minutes.
    for minute in 0..<100 as Range<Int64> {
      let now = minute * 60_000
      let ended = (0..<1_000).map { revoked("ses_\(minute)_\($0)", until: now + 900_000) }
      list.insert(ended, now: now)
      #expect(list.reason(for: "ses_\(max(0, minute - 14))_999") == .reuseDetected)
      #expect(list.count <= 2 * 16_000)
    }
    #expect(list.reason(for: "ses_0") == nil)
    #expect(list.reason(for: "ses_0_0") == nil)
    #expect(list.reason(for: "ses_100_0") == nil)
  }
}
