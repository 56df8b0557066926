import Testing

@testable import GRPC

@Suite struct CallMachineTests {
  private let unprocessed = CallOutcome(status: GRPCStatus(.unavailable), unprocessed: .refused)
  private let unsent = CallOutcome(status: GRPCStatus(.unavailable), unprocessed: .notSent)
  private let refused = CallOutcome(status: GRPCStatus(.unauthenticated))

  @Test func `what the server refused before looking at it is sent again, once`() {
    var machine = CallMachine()
    #expect(machine.ended(unprocessed, carriedToken: true, canReplay: true) == .retry)
    #expect(machine.ended(unprocessed, carriedToken: true, canReplay: true) == .finish)
  }

  @Test func `what never left is sent again, a bounded number of times`() {
    var machine = CallMachine()
    for _ in 0..<CallMachine.maximumUnsent {
      #expect(machine.ended(unsent, carriedToken: true, canReplay: true) == .retry)
    }
    #expect(machine.ended(unsent, carriedToken: true, canReplay: true) == .finish)
  }

  @Test func `UNAUTHENTICATED renews the token once`() {
    var machine = CallMachine()
    #expect(machine.ended(refused, carriedToken: true, canReplay: true) == .renewToken)
    #expect(machine.ended(refused, carriedToken: true, canReplay: true) == .finish)
  }

  @Test func `UNAUTHENTICATED to a call without our token renews nothing`() {
    var machine = CallMachine()
    #expect(machine.ended(refused, carriedToken: false, canReplay: true) == .finish)
  }

  @Test func `nothing is sent again once a message was delivered, or cannot be sent again`() {
    for outcome in [unprocessed, unsent, refused] {
      var delivered = CallMachine()
      delivered.delivered()
      #expect(delivered.ended(outcome, carriedToken: true, canReplay: true) == .finish)
      var oneShot = CallMachine()
      #expect(oneShot.ended(outcome, carriedToken: true, canReplay: false) == .finish)
    }
  }

  @Test(arguments: GRPCStatus.Code.allCases.filter { $0 != .unauthenticated })
  func `no other status is tried again`(code: GRPCStatus.Code) {
    var machine = CallMachine()
    let outcome = CallOutcome(status: GRPCStatus(code))
    #expect(machine.ended(outcome, carriedToken: true, canReplay: true) == .finish)
  }
}
