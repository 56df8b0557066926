import Testing

@testable import GRPC

@Suite struct KeepaliveMachineTests {
  private let start = ContinuousClock.now
  private let limits = KeepaliveMachine.Limits(
    interval: .seconds(30),
    timeout: .seconds(10),
    probeTimeout: .seconds(5),
    idleTimeout: .seconds(300)
  )

  private func time(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

  private func busy() -> KeepaliveMachine {
    var machine = KeepaliveMachine(limits, at: start)
    machine.streamsChanged(areOpen: true, at: start)
    return machine
  }

  @Test func `silence while a stream is open is asked about, and a dead peer is found out`() {
    var machine = busy()
    #expect(machine.nextCheck == time(30))
    #expect(machine.check(at: time(29)) == .fine)
    #expect(machine.check(at: time(30)) == .ping(1))
    #expect(machine.nextCheck == time(40))
    #expect(machine.check(at: time(39)) == .fine)
    #expect(machine.check(at: time(40)) == .dead)
  }

  @Test func `any byte is a sign of life, and silence begins anew`() {
    var machine = busy()
    #expect(machine.received(at: time(20)) == false)
    #expect(machine.check(at: time(30)) == .fine)
    #expect(machine.check(at: time(50)) == .ping(1))
    #expect(machine.received(at: time(55)) == true)
    #expect(machine.check(at: time(60)) == .fine)
    #expect(machine.nextCheck == time(85))
  }

  @Test func `silence counts from the opening of a stream, not from before`() {
    var machine = KeepaliveMachine(limits, at: start)
    machine.streamsChanged(areOpen: true, at: time(200))
    #expect(machine.nextCheck == time(230))
    machine.streamsChanged(areOpen: true, at: time(220))
    #expect(machine.check(at: time(230)) == .ping(1))
  }

  @Test func `without a stream nothing is asked, and after long the connection is idle`() {
    var machine = busy()
    machine.streamsChanged(areOpen: false, at: time(10))
    #expect(machine.nextCheck == time(310))
    #expect(machine.check(at: time(309)) == .fine)
    #expect(machine.check(at: time(310)) == .idle)
  }

  @Test func `a connection that never had a stream is kept for another while`() {
    let limits = KeepaliveMachine.Limits(idleTimeout: .seconds(300), unusedTimeout: .seconds(10))
    var machine = KeepaliveMachine(limits, at: start)
    #expect(machine.nextCheck == time(10))
    #expect(machine.check(at: time(9)) == .fine)
    // Bytes without a stream are no use that is made of it.
    _ = machine.received(at: time(9))
    #expect(machine.check(at: time(10)) == .idle)
    machine = KeepaliveMachine(limits, at: start)
    machine.streamsChanged(areOpen: true, at: time(9))
    machine.streamsChanged(areOpen: false, at: time(10))
    #expect(machine.nextCheck == time(310))
  }

  @Test func `what is not wanted never happens`() {
    var machine = KeepaliveMachine(.init(interval: nil, idleTimeout: nil), at: start)
    #expect(machine.nextCheck == nil)
    machine.streamsChanged(areOpen: true, at: start)
    #expect(machine.nextCheck == nil)
    #expect(machine.check(at: time(1_000_000)) == .fine)
  }

  @Test func `a probe counts its own answer only`() {
    var machine = KeepaliveMachine(limits, at: start)
    #expect(machine.probe(at: start) == 1)
    #expect(machine.probe(at: start) == nil)
    #expect(machine.received(at: time(1)) == false)
    #expect(machine.answered(7) == false)
    #expect(machine.check(at: time(4)) == .fine)
    #expect(machine.check(at: time(5)) == .dead)
    #expect(machine.answered(1) == true)
    #expect(machine.check(at: time(11)) == .fine)
  }

  @Test func `a suspended app asks nothing, and its sleep is no silence`() {
    var machine = busy()
    #expect(machine.check(at: time(30)) == .ping(1))
    machine.suspend()
    #expect(machine.nextCheck == nil)
    #expect(machine.check(at: time(10_000)) == .fine)
    machine.resume(at: time(10_000))
    #expect(machine.nextCheck == time(10_030))
  }
}
