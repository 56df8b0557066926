import ProtobufWire
import Testing

@testable import GRPC
@testable import Realtime

@Suite struct SubscriptionMachineTests {
  private func message(_ sequence: UInt64, group: String = "g") -> Event.Kind {
    var message = Message()
    message.groupID = group
    message.sequence = sequence
    return .message(message)
  }

  private func sequences(_ events: [RealtimeEvent]) -> [UInt64] {
    events.compactMap { if case .message(let message) = $0 { message.sequence } else { nil } }
  }

  @Test func `messages are delivered once, in order`() {
    var machine = SubscriptionMachine(groupID: "g", after: 2)
    var delivered: [UInt64] = []
    for sequence: UInt64 in [1, 2, 3, 3, 4, 2, 4, 5] {
      delivered += sequences(machine.receive(message(sequence)))
    }
    #expect(delivered == [3, 4, 5])
    #expect(machine.last == 5)
  }

  @Test func `a gap is told before what comes after it, and can be filled late, once`() {
    var machine = SubscriptionMachine(groupID: "g", after: 2)
    let events = machine.receive(message(6))
    #expect(events.first == .gap(after: 2, before: 6))
    #expect(sequences(events) == [6])
    #expect(machine.last == 6)
    for sequence: UInt64 in [4, 3, 5] {
      #expect(sequences(machine.receive(message(sequence))) == [sequence])
      #expect(machine.receive(message(sequence)).isEmpty)
    }
  }

  @Test func `the first message of all is not a gap, a later one is`() {
    var whole = SubscriptionMachine(groupID: "g", after: 0)
    #expect(whole.receive(message(1)).count == 1)
    var late = SubscriptionMachine(groupID: "g", after: 0)
    #expect(late.receive(message(3)).first == .gap(after: 0, before: 3))
  }

  @Test func `the highest sequence traps on nothing`() {
    var machine = SubscriptionMachine(groupID: "g", after: 0)
    #expect(machine.receive(message(.max)).count == 2)
    #expect(machine.receive(message(.max)).isEmpty)
    #expect(sequences(machine.receive(message(1))) == [1])
  }

  @Test func `other groups, messages without a sequence, and typing elsewhere are passed over`() {
    var machine = SubscriptionMachine(groupID: "g", after: 0)
    #expect(machine.receive(message(1, group: "other")).isEmpty)
    #expect(machine.receive(message(0)).isEmpty)
    #expect(machine.receive(.typing(Typing(groupID: "other", userID: "u"))).isEmpty)
    let typing = machine.receive(.typing(Typing(groupID: "g", userID: "u")))
    #expect(typing == [.typing(userID: "u")])
    #expect(machine.last == 0)
  }

  @Test(arguments: GRPCStatus.Code.allCases)
  func `only four statuses end a subscription`(code: GRPCStatus.Code) {
    var machine = SubscriptionMachine(groupID: "g", after: 0)
    let next = machine.ended(.status(code), lasted: .zero, chance: 0.5)
    let final: [GRPCStatus.Code] = [
      .permissionDenied, .notFound, .invalidArgument, .unimplemented,
    ]
    #expect(next == (final.contains(code) ? .fail : .pause(.seconds(1))))
  }

  @Test func `a stream that made progress is replaced at once, another one after a pause`() {
    var machine = SubscriptionMachine(groupID: "g", after: 0)
    machine.began()
    _ = machine.receive(message(1))
    #expect(machine.ended(.status(.unavailable), lasted: .zero, chance: 0.5) == .subscribe)
    machine.began()
    #expect(machine.ended(.status(.ok), lasted: .zero, chance: 0.5) == .pause(.seconds(1)))
    machine.began()
    #expect(machine.ended(.status(.ok), lasted: .zero, chance: 0.5) == .pause(.seconds(2)))
    machine.began()
    #expect(machine.ended(.status(.ok), lasted: .seconds(10), chance: 0.5) == .subscribe)
  }

  @Test func `R12: a stream that only repeats what was delivered is replaced with pauses`() {
    var machine = SubscriptionMachine(groupID: "g", after: 5)
    let useless: [Event.Kind] = [
      message(1), message(5), message(7, group: "other"), message(0),
      .typing(Typing(groupID: "g", userID: "u")),
    ]
    for seconds in [1, 2, 4, 8, 16, 30, 30] {
      machine.began()
      for event in useless { #expect(sequences(machine.receive(event)).isEmpty) }
      let next = machine.ended(.status(.internalError), lasted: .zero, chance: 0.5)
      #expect(next == .pause(.seconds(seconds)))
    }
    // What fills a gap was missing, and comes once.
    machine.began()
    _ = machine.receive(message(8))
    #expect(machine.ended(.status(.internalError), lasted: .zero, chance: 0.5) == .subscribe)
    machine.began()
    _ = machine.receive(message(7))
    #expect(machine.ended(.status(.internalError), lasted: .zero, chance: 0.5) == .subscribe)
    machine.began()
    _ = machine.receive(message(7))
    let next = machine.ended(.status(.internalError), lasted: .zero, chance: 0.5)
    #expect(next == .pause(.seconds(1)))
  }

  @Test func `a server that restarts often while nobody writes is not waited for ever longer`() {
    var machine = SubscriptionMachine(groupID: "g", after: 0)
    for _ in 0..<10 {
      machine.began()
      let next = machine.ended(.connectionLost, lasted: .seconds(1), chance: 0.5)
      #expect(next == .pause(.seconds(1)))
    }
    machine.began()
    _ = machine.receive(message(1))
    #expect(machine.ended(.connectionLost, lasted: .seconds(1), chance: 0.5) == .subscribe)
  }

  @Test func `a refused token is confirmed; another one goes on, none ends it`() {
    var machine = SubscriptionMachine(groupID: "g", after: 0)
    machine.began()
    _ = machine.receive(message(1))
    #expect(machine.ended(.refused(.notAsked), lasted: .zero, chance: 0.5) == .confirmToken)
    #expect(machine.confirmed(true, chance: 0.5) == .subscribe)
    #expect(machine.confirmed(false, chance: 0.5) == .fail)
  }

  @Test func `R12: a server that refuses every new token is asked with pauses`() {
    var machine = SubscriptionMachine(groupID: "g", after: 0)
    for seconds in [1, 2, 4] {
      machine.began()
      let next = machine.ended(.refused(.renewed), lasted: .zero, chance: 0.5)
      #expect(next == .pause(.seconds(seconds)))
    }
    #expect(machine.ended(.refused(.nothingNew), lasted: .zero, chance: 0.5) == .fail)
  }

  @Test func `a provider without a token ends it only when the session is over`() {
    var machine = SubscriptionMachine(groupID: "g", after: 0)
    let temporary = machine.ended(.noToken(endsSession: false), lasted: .zero, chance: 0.5)
    #expect(temporary == .pause(.seconds(1)))
    #expect(machine.ended(.noToken(endsSession: true), lasted: .zero, chance: 0.5) == .fail)
    #expect(machine.ended(.shutDown, lasted: .zero, chance: 0.5) == .fail)
  }
}
