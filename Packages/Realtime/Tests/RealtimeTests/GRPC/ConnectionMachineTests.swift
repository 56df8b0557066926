import Testing

@testable import GRPC

@Suite struct ConnectionMachineTests {
  private let start = ContinuousClock.now

  private func wait(_ effects: [ConnectionMachine.Effect]) -> Duration? {
    guard case .wake(let time) = effects.first else { return nil }
    return time - start
  }

  @Test func `it connects when a connection is wanted, once`() {
    var machine = ConnectionMachine()
    #expect(machine.wanted() == [.connect])
    #expect(machine.wanted().isEmpty)
    machine.connected(at: start)
    #expect(machine.state == .ready(since: start))
  }

  @Test func `pauses double from 1 s to 30 s`() {
    var machine = ConnectionMachine()
    var now = start
    var pauses: [Duration] = []
    _ = machine.wanted()
    for _ in 0..<7 {
      guard case .wake(let time) = machine.failed(at: now, chance: 0.5).first else { break }
      pauses.append(time - now)
      now = time
      #expect(machine.backoffElapsed(at: now, isWanted: true) == [.connect])
    }
    #expect(pauses == [1, 2, 4, 8, 16, 30, 30].map { Duration.seconds($0) })
  }

  @Test func `chance spreads a pause by a fifth to both sides`() {
    var low = Backoff()
    var high = Backoff()
    #expect(abs(low.next(chance: 0) / .milliseconds(800) - 1) < 1e-9)
    #expect(abs(high.next(chance: 1) / .milliseconds(1200) - 1) < 1e-9)
  }

  @Test func `a pause ends in idleness when nobody wants a connection any more`() {
    var machine = ConnectionMachine()
    _ = machine.wanted()
    _ = machine.failed(at: start, chance: 0.5)
    #expect(machine.backoffElapsed(at: start + .milliseconds(999), isWanted: true).isEmpty)
    #expect(machine.backoffElapsed(at: start + .seconds(1), isWanted: false).isEmpty)
    #expect(machine.state == .idle)
  }

  @Test func `a good connection that ends is replaced at once, and only if wanted`() {
    for isWanted in [true, false] {
      var machine = ConnectionMachine()
      _ = machine.wanted()
      machine.connected(at: start)
      machine.proved()
      let effects = machine.ended(at: start, chance: 0.5, isWanted: isWanted)
      #expect(effects == (isWanted ? [.connect] : []))
      #expect(machine.state == (isWanted ? .connecting : .idle))
    }
  }

  @Test func `a server that accepts and hangs up is backed off from`() {
    var machine = ConnectionMachine()
    _ = machine.wanted()
    machine.connected(at: start)
    #expect(wait(machine.ended(at: start, chance: 0.5, isWanted: true)) == .seconds(1))
  }

  @Test func `a goodbye is no failure, unless the server says nothing else`() {
    var machine = ConnectionMachine()
    _ = machine.wanted()
    machine.connected(at: start)
    #expect(machine.ended(at: start, chance: 0.5, isWanted: true, isGoodbye: true) == [.connect])
    machine.connected(at: start)
    let again = machine.ended(at: start, chance: 0.5, isWanted: true, isGoodbye: true)
    #expect(wait(again) == .seconds(1))
    _ = machine.backoffElapsed(at: start + .seconds(1), isWanted: true)
    machine.connected(at: start)
    machine.proved()
    #expect(machine.ended(at: start, chance: 0.5, isWanted: true, isGoodbye: true) == [.connect])
    machine.connected(at: start)
    #expect(machine.ended(at: start, chance: 0.5, isWanted: true, isGoodbye: true) == [.connect])
  }

  @Test func `after a suspension a connection is asked before it is used`() {
    var machine = ConnectionMachine()
    _ = machine.wanted()
    machine.connected(at: start)
    #expect(machine.resumed(isWanted: false, isUsed: false).isEmpty)
    #expect(machine.state == .doubtful)
    #expect(machine.wanted() == [.probe])
    #expect(machine.wanted().isEmpty)
    machine.answered(at: start)
    #expect(machine.state == .ready(since: start))
    #expect(machine.resumed(isWanted: false, isUsed: true) == [.probe])
  }

  @Test func `a connection that the sleep has killed is replaced without a pause`() {
    for isAsked in [true, false] {
      var machine = ConnectionMachine()
      _ = machine.wanted()
      machine.connected(at: start)
      _ = machine.resumed(isWanted: isAsked, isUsed: false)
      #expect(
        machine.ended(at: start, chance: 0.5, isWanted: isAsked) == (isAsked ? [.connect] : [])
      )
    }
  }

  @Test func `after a suspension no pause is waited out, and an attempt begins anew`() {
    var waiting = ConnectionMachine()
    _ = waiting.wanted()
    _ = waiting.failed(at: start, chance: 0.5)
    #expect(waiting.resumed(isWanted: true, isUsed: false) == [.connect])
    #expect(waiting.resumed(isWanted: true, isUsed: false) == [.abandon, .connect])
    #expect(wait(waiting.failed(at: start, chance: 0.5)) == .seconds(1))
    var idle = ConnectionMachine()
    #expect(idle.resumed(isWanted: false, isUsed: false).isEmpty)
  }

  @Test func `a connection that nobody uses goes without a pause`() {
    var machine = ConnectionMachine()
    _ = machine.wanted()
    machine.connected(at: start)
    #expect(machine.idled(isWanted: false).isEmpty)
    #expect(machine.state == .idle)
    #expect(machine.idled(isWanted: true).isEmpty)
    #expect(machine.wanted() == [.connect])
  }

  @Test func `a connection that lasted is good, though nothing was asked of it`() {
    var machine = ConnectionMachine()
    _ = machine.wanted()
    machine.connected(at: start)
    let later = start + ConnectionMachine.goodAfter
    #expect(machine.ended(at: later, chance: 0.5, isWanted: true) == [.connect])
  }

  @Test func `a good connection resets the pauses`() {
    var machine = ConnectionMachine()
    _ = machine.wanted()
    for _ in 0..<4 {
      guard case .wake(let time) = machine.failed(at: start, chance: 0.5).first else { return }
      _ = machine.backoffElapsed(at: time, isWanted: true)
    }
    machine.connected(at: start)
    machine.proved()
    _ = machine.ended(at: start, chance: 0.5, isWanted: true)
    #expect(wait(machine.failed(at: start, chance: 0.5)) == .seconds(1))
  }

  @Test func `another network ends a pause and forgets the failures`() {
    var machine = ConnectionMachine()
    _ = machine.wanted()
    _ = machine.failed(at: start, chance: 0.5)
    #expect(machine.networkChanged(isWanted: true) == [.connect])
    #expect(wait(machine.failed(at: start, chance: 0.5)) == .seconds(1))
  }

  @Test func `another network gives the present connection up`() {
    var machine = ConnectionMachine()
    _ = machine.wanted()
    machine.connected(at: start)
    #expect(machine.networkChanged(isWanted: true) == [.abandon, .connect])
    #expect(machine.networkChanged(isWanted: false) == [.abandon])
  }

  @Test func `nothing happens after the end`() {
    var machine = ConnectionMachine()
    _ = machine.wanted()
    #expect(machine.shutDown() == [.abandon])
    #expect(machine.shutDown().isEmpty)
    #expect(machine.wanted().isEmpty)
    #expect(machine.failed(at: start, chance: 0.5).isEmpty)
    #expect(machine.networkChanged(isWanted: true).isEmpty)
    #expect(machine.state == .shutDown)
  }
}
