internal import GRPC
internal import ProtobufWire

/// What happens in one group, without an end; see ``RealtimeClient/subscribe(groupID:afterSequence:)``.
public struct RealtimeSubscription: AsyncSequence, Sendable {
  /// What it gives.
  public typealias Element = RealtimeEvent

  let core: RealtimeCore
  let groupID: String
  let afterSequence: UInt64

  /// Begins a subscription, with the first element that is asked for.
  public func makeAsyncIterator() -> Iterator {
    Iterator(core: core, machine: SubscriptionMachine(groupID: groupID, after: afterSequence))
  }

  /// A subscription that is being read.
  public struct Iterator: AsyncIteratorProtocol {
    private let core: RealtimeCore
    private var machine: SubscriptionMachine
    private var call: GRPCCall?
    private var began = ContinuousClock.now
    private var events: [RealtimeEvent] = []
    private var isFinished = false

    init(core: RealtimeCore, machine: SubscriptionMachine) {
      self.core = core
      self.machine = machine
    }

    /// The next event; nil when the task was cancelled.
    ///
    /// - Throws: see ``RealtimeClient/subscribe(groupID:afterSequence:)``; nothing follows.
    public mutating func next() async throws -> RealtimeEvent? {
      while events.isEmpty {
        if isFinished { return nil }
        do {
          try await advance()
        } catch {
          isFinished = true
          call = nil
          if Task.isCancelled { return nil }
          throw error
        }
      }
      return events.removeFirst()
    }

    private mutating func advance() async throws {
      do throws(GRPCError) {
        let call = try await openCall()
        if let message = try await call.next() { return try receive(message, on: call) }
      } catch {
        return try await ended(error)
      }
      try await ended(.status(.ok), Self.endedWithOK)
    }

    private mutating func openCall() async throws(GRPCError) -> GRPCCall {
      if let call { return call }
      machine.began()
      began = core.clock.now
      let request = SubscribeRequest(groupID: machine.groupID, afterSequence: machine.last)
      var options = GRPCCallOptions()
      options.waitsForReady = true
      let call = try await core.channel.serverStreaming(
        RealtimeMethod.subscribe,
        message: request.protobuf,
        options: options
      )
      self.call = call
      return call
    }

    private mutating func receive(_ message: [UInt8], on call: GRPCCall) throws(GRPCError) {
      let event: Event
      do throws(ProtobufError) {
        event = try Event(protobuf: message)
      } catch {
        // A stream that brings garbage is as good as a broken one.
        call.cancel()
        throw GRPCError(GRPCStatus(.internalError, error.description))
      }
      // An event of a newer contract says nothing to this one.
      guard let kind = event.event else { return }
      if case .sessionRevoked(let revoked) = kind {
        throw GRPCError(GRPCStatus(.unauthenticated, "The session was revoked: \(revoked.reason)"))
      }
      events = machine.receive(kind)
    }

    private mutating func ended(_ error: GRPCError) async throws {
      let end: SubscriptionMachine.End
      if Task.isCancelled { throw error }
      if core.channel.state == .shutDown {
        end = .shutDown
      } else if let tokenError = error.tokenError {
        end = .noToken(endsSession: core.tokens?.endsSession(tokenError) ?? true)
      } else if error.status.code == .unauthenticated {
        end = .refused(call?.tokenRenewal ?? .notAsked)
      } else if error.hadBegun, error.cause == .network {
        end = .connectionLost
      } else {
        end = .status(error.status.code)
      }
      try await ended(end, error)
    }

    private mutating func ended(_ end: SubscriptionMachine.End, _ error: GRPCError) async throws {
      let call = self.call
      self.call = nil
      let lasted = core.clock.now - began
      try await follow(
        machine.ended(end, lasted: lasted, chance: .random(in: 0...1)),
        error,
        call
      )
    }

    private mutating func follow(
      _ next: SubscriptionMachine.Next,
      _ error: GRPCError,
      _ call: GRPCCall?
    ) async throws {
      switch next {
      case .subscribe: return
      case .pause(let duration):
        if await core.pause(for: duration) { machine.networkChanged() }
        try Task.checkCancellation()
      case .fail: throw error.tokenError ?? error
      case .confirmToken:
        let chance = Double.random(in: 0...1)
        let confirmed: SubscriptionMachine.Next
        do {
          let isRenewed = try await call?.reportRefusedToken() ?? false
          confirmed = machine.confirmed(isRenewed, chance: chance)
        } catch {
          let endsSession = core.tokens?.endsSession(error) ?? true
          if endsSession { throw error }
          confirmed = machine.ended(
            .noToken(endsSession: false),
            lasted: .zero,
            chance: chance
          )
        }
        try await follow(confirmed, error, call)
      }
    }

    private static let endedWithOK = GRPCError(
      GRPCStatus(.unavailable, "The server ended the subscription.")
    )
  }
}
