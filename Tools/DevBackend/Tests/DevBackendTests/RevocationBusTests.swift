import GRPC
import ProtobufWire
import Testing

@testable import DevBackend

/// Sessions that end on one instance, for the other instances.
@Suite(.timeLimit(.minutes(2)), .onEachDatabase) struct RevocationBusTests {
  private let log = RequestLog(requestID: nil, time: ServerTime(.system)) { _ in }

  private func core(_ bus: any RevocationBus) throws -> BackendCore {
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
    let bus = InMemoryRevocationBus()
    let (here, there) = (try core(bus), try core(InMemoryRevocationBus(beside: bus)))
    here.publish([revoked("ses_1")], log)
    #expect(here.denyList.reason(for: "ses_1") == .reuseDetected)
    #expect(there.denyList.reason(for: "ses_1") == .reuseDetected)
    #expect(there.denyList.reason(for: "ses_2") == nil)
  }

  @Test func `an instance that left hears nothing`() throws {
    let bus = InMemoryRevocationBus()
    let (here, there) = (try core(bus), try core(InMemoryRevocationBus(beside: bus)))
    there.close()
    here.publish([revoked("ses_1")], log)
    #expect(here.denyList.reason(for: "ses_1") == .reuseDetected)
    #expect(there.denyList.reason(for: "ses_1") == nil)
  }

  @Test func `a stream ends when another instance revokes its session, and is told why`()
    async throws
  {
    let bus = InMemoryRevocationBus()
    try await Fixture.run(bus: bus) { fixture in
      let session = try await fixture.registerSky()
      let stream = try await fixture.caller(session.string("access_token")).subscribe()
      await fixture.log.waitFor("stream.subscribed")
      let id = try #require(try await fixture.inspector.sessions(of: "ada").first?.id)
      let elsewhere = InMemoryRevocationBus(beside: bus)
      elsewhere.publish([revoked(id, until: .max)])
      #expect(
        try await stream.nextEvent() == .sessionRevoked(SessionRevoked(reason: "reuse_detected"))
      )
      #expect(await stream.ending() == .unauthenticated)
    }
  }

  @Test func `while revocations may be missed no token is let in, and none is called wrong`()
    async throws
  {
    let bus = InMemoryRevocationBus()
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
    let bus = InMemoryRevocationBus()
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

  @Test func `an entry is kept for as long as an access token can live, and no longer`() {
    let list = DenyList([revoked("ses_1", until: 900)])
    list.insert([revoked("ses_2", until: 2_000)], now: 899)
    #expect(list.reason(for: "ses_1") == .reuseDetected)
    list.insert([revoked("ses_3", until: 3_000)], now: 900)
    #expect(list.reason(for: "ses_1") == nil)
    #expect(list.reason(for: "ses_2") == .reuseDetected)
    #expect(list.count == 2)
  }
}
