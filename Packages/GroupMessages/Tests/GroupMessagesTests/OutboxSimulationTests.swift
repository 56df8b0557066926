import SessionModels
import Testing

@testable import GroupMessages

/// Several processes on one store, killed and cut off at any moment: whatever comes, each message
/// is at the server once, in the order of writing.
///
/// The seed of a run that fails is its argument, and makes the same run again.
@Suite struct OutboxSimulationTests {
  @Test(arguments: 0..<150 as Range<UInt64>)
  func `each message arrives once and in order, whatever breaks`(seed: UInt64) throws {
    var world = OutboxWorld(seed: seed)
    for _ in 0..<200 { world.doSomething() }
    try world.settle()
    #expect(world.stored.entries.map(\.clientMessageID) == world.refused)
    #expect(world.server.map(\.id) == world.written.filter { !world.refused.contains($0) })
  }

  @Test(arguments: 1000..<1040 as Range<UInt64>)
  func `what is discarded while it waits is not sent, and the others keep their order`(
    seed: UInt64
  ) throws {
    var world = OutboxWorld(seed: seed)
    world.discards = true
    for _ in 0..<200 { world.doSomething() }
    try world.settle()
    let there = world.server.map(\.id)
    // One that is discarded while it is under way may arrive, and late.
    let kept = there.filter { !world.discarded.contains($0) }
    #expect(kept == world.written.filter(kept.contains))
    for id in world.written where !there.contains(id) && !world.refused.contains(id) {
      #expect(world.discarded.contains(id))
    }
  }
}

/// A store, a server, and processes that come and go.
private struct OutboxWorld {
  struct Process {
    var machine = OutboxMachine()
    /// The request under way, and what becomes of it.
    var request: (entry: OutboxEntry, arrives: Bool, answer: Bool)?
  }

  private var generator: SeededGenerator
  private(set) var stored = OutboxList()
  private(set) var server: [(id: String, message: GroupMessage)] = []
  private(set) var written: [String] = []
  private(set) var refused: [String] = []
  private(set) var discarded: Set<String> = []
  private var bad: Set<String> = []
  private var processes: [Process] = [Process(), Process(), Process()]
  private var now = Duration.zero
  private var isCalm = false
  var discards = false

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &generator) < percent
  }

  mutating func doSomething() {
    let index = Int.random(in: 0..<processes.count, using: &generator)
    now += .milliseconds(Int.random(in: 0...3000, using: &generator))
    switch Int.random(in: 0..<20, using: &generator) {
    case 0..<4: write()
    case 4..<6 where !isCalm: processes[index] = Process()  // SIGKILL, and a restart
    case 6: processes[index].machine.begin()
    case 7 where discards: discard()
    case 8..<14: step(index)
    default: answer(index)
    }
  }

  private mutating func write() {
    guard !isCalm else { return }
    let id = "m\(written.count)"
    let entry = OutboxEntry(clientMessageID: id, body: id, writtenAt: 0)
    guard stored.append(entry) else { return }
    written.append(id)
    if chance(10) { bad.insert(id) }
  }

  private mutating func discard() {
    guard let entry = stored.entries.randomElement(using: &generator), entry.refusal == nil else {
      return
    }
    _ = stored.remove(entry.clientMessageID)
    discarded.insert(entry.clientMessageID)
  }

  private mutating func step(_ index: Int) {
    guard case .send(let entry) = processes[index].machine.step(stored, now: now) else { return }
    let arrives = isCalm || chance(70)
    processes[index].request = (entry, arrives, arrives && (isCalm || chance(70)))
  }

  /// The request arrives or not, and the answer comes or not; the process learns one or the other.
  private mutating func answer(_ index: Int) {
    guard let request = processes[index].request else { return }
    processes[index].request = nil
    let id = request.entry.clientMessageID
    var result = Result<GroupMessage, MessageError>.failure(
      .underlying(PortError(), isTemporary: true)
    )
    if request.arrives {
      let outcome = take(id)
      if request.answer { result = outcome }
    }
    let share = Double.random(in: 0...1, using: &generator)
    switch processes[index].machine.answered(result, now: now, chance: share) {
    // Killed between the answer and writing it down: the store knows nothing of it.
    case _ where !isCalm && chance(10): processes[index] = Process()
    case .sent: _ = stored.remove(id)
    case .refused(let refusal):
      if stored.mark(id, refused: refusal), !refused.contains(id) { refused.append(id) }
    case .postponed, .halted: break
    }
  }

  private mutating func take(_ id: String) -> Result<GroupMessage, MessageError> {
    if bad.contains(id) {
      return .failure(.rejected(MessageRejection(status: 403, message: "muted")))
    }
    if let known = server.first(where: { $0.id == id }) { return .success(known.message) }
    let message = GroupMessage.fixture(
      UInt64(server.count) + 1,
      sender: .me,
      clientMessageID: id
    )
    server.append((id, message))
    return .success(message)
  }

  /// The network is there again, and one process after the other does its work.
  mutating func settle() throws {
    isCalm = true
    var steps = 0
    while stored.next != nil || processes.contains(where: { $0.request != nil }) {
      steps += 1
      try #require(steps < 20_000, "it never ends")
      doSomething()
    }
    refused.sort { (written.firstIndex(of: $0) ?? 0) < (written.firstIndex(of: $1) ?? 0) }
  }
}
