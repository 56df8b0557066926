import Testing

@testable import ByteStream

@Suite struct ConnectionRaceTests {
  private static let six: Int32 = 10
  private static let four: Int32 = 2
  private let start = ContinuousClock.now
  private var later: ContinuousClock.Instant { start + ConnectionRace.delay }

  /// The order in which addresses are tried when every one fails.
  private func order(_ families: [Int32]) -> [Int] {
    var race = ConnectionRace(families: families)
    var order: [Int] = []
    var effects = race.start(at: start)
    while case .connect(let index) = effects.first {
      order.append(index)
      effects = race.failed(index, at: start)
    }
    #expect(effects == [.fail])
    return order
  }

  @Test func `families take turns, beginning with what the resolver prefers`() {
    let (six, four) = (Self.six, Self.four)
    #expect(order([six, six, six, four, four]) == [0, 3, 1, 4, 2])
    #expect(order([four, six, six]) == [0, 1, 2])
    #expect(order([four, four]) == [0, 1])
    #expect(order([six]) == [0])
  }

  @Test func `no address is a failure`() {
    var race = ConnectionRace(families: [])
    #expect(race.start(at: start) == [.fail])
  }

  @Test func `a silent address gives way after a quarter of a second, and stays in the race`() {
    var race = ConnectionRace(families: [Self.six, Self.four])
    #expect(race.start(at: start) == [.connect(0), .wake(at: later)])
    #expect(race.delayElapsed(at: start + .milliseconds(249)).isEmpty)
    #expect(race.delayElapsed(at: later) == [.connect(1)])
    #expect(race.connected(0) == [.take(0)])
    #expect(race.connected(1).isEmpty)
  }

  @Test func `an address that refuses gives way at once, and the delay begins anew`() {
    var race = ConnectionRace(families: [Self.six, Self.four, Self.six])
    _ = race.start(at: start)
    let soon = start + .milliseconds(5)
    #expect(race.failed(0, at: soon) == [.connect(1), .wake(at: soon + ConnectionRace.delay)])
    // The wake of the first attempt comes too, and means nothing any more.
    #expect(race.delayElapsed(at: later).isEmpty)
    #expect(race.delayElapsed(at: soon + ConnectionRace.delay) == [.connect(2)])
  }

  @Test func `it fails when the last attempt has failed, not before`() {
    var race = ConnectionRace(families: [Self.six, Self.four])
    _ = race.start(at: start)
    _ = race.delayElapsed(at: later)
    #expect(race.failed(1, at: later).isEmpty)
    #expect(race.failed(0, at: later) == [.fail])
  }

  @Test func `one that breaks after it was taken gives those that lost another chance`() {
    var race = ConnectionRace(families: [Self.six, Self.four, Self.six])
    _ = race.start(at: start)
    _ = race.delayElapsed(at: later)
    _ = race.connected(1)
    let end = later + .seconds(1)
    #expect(race.broke(at: end) == [.connect(0), .wake(at: end + ConnectionRace.delay)])
    #expect(race.failed(0, at: end) == [.connect(2)])
    #expect(race.connected(2) == [.take(2)])
    #expect(race.broke(at: end) == [.fail])
  }

  @Test func `what does not belong to a running attempt changes nothing`() {
    var race = ConnectionRace(families: [Self.six, Self.four])
    _ = race.start(at: start)
    #expect(race.connected(1).isEmpty && race.failed(1, at: start).isEmpty)
    #expect(race.broke(at: start).isEmpty && race.start(at: start).isEmpty)
    _ = race.connected(0)
    #expect(race.failed(0, at: start).isEmpty && race.delayElapsed(at: later).isEmpty)
  }
}
