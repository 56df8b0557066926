internal import GRPC
internal import ProtobufWire
internal import Synchronization

/// One open stream: what it is subscribed to, and how far each group was delivered.
///
/// Messages are read from the database in the order of their sequence numbers, history and news
/// alike, so that nothing can fall between the two; a slow client stops the reading.
final class RealtimeStream: Sendable {
  private let core: BackendCore
  private let service: RealtimeService
  private let principal: Principal
  private let call: GRPCServerCall
  private let mailbox: Mailbox
  /// By group, the last sequence number that was sent.
  private let positions = Mutex<[String: Int64]>([:])

  /// So many messages are read at a time.
  private static let batchSize = 100

  /// How long a client that does not read may still get the last event, before it is cut off.
  private static let farewell: Duration = .milliseconds(500)

  init(_ service: RealtimeService, principal: Principal, call: GRPCServerCall) {
    (self.service, core, self.principal, self.call) = (service, service.core, principal, call)
    // Opened before anything is read, so that what arrives meanwhile rings.
    mailbox = core.hub.open(session: principal.sessionID)
  }

  /// Sends everything of one group after a sequence number, without an end.
  func subscribe(_ request: SubscribeRequest, _ log: RequestLog) async throws {
    try await whileOpen {
      try await add(request)
      log("stream.subscribed", ["sid": principal.sessionID, "user": principal.userID])
      // Tells the client that it is subscribed, before the first event.
      try call.sendMetadata()
      try await guarded { try await self.pump() }
    }
  }

  /// Serves frames of the client, and sends everything that it subscribed to.
  ///
  /// When the client has sent its last frame the stream goes on for what it is subscribed to,
  /// and without any subscription it ends.
  func connect(_ log: RequestLog) async throws {
    try await whileOpen {
      log("stream.connected", ["sid": principal.sessionID, "user": principal.userID])
      try call.sendMetadata()
      try await guarded {
        try await withThrowingTaskGroup(of: Bool.self) { group in
          group.addTask {
            try await self.readFrames()
            return self.positions.withLock(\.isEmpty)
          }
          group.addTask {
            try await self.pump()
            return true
          }
          defer { group.cancelAll() }
          while let isOver = try await group.next() {
            if isOver { return }
          }
        }
      }
    }
  }

  private func whileOpen(_ body: () async throws -> Void) async throws {
    defer { core.hub.close(mailbox) }
    try await body()
  }

  /// Ends the body when the session is revoked or the token expires, even while the client does
  /// not read.
  private func guarded(_ body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await body() }
      group.addTask { try await self.waitForExpiry() }
      group.addTask { try await self.waitForEnding() }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func waitForEnding() async throws {
    for await _ in mailbox.alarms {
      guard let ending else { continue }
      try await Task.sleep(for: Self.farewell)
      throw GRPCStatus(ending)
    }
    throw CancellationError()
  }

  /// Rings the alarm when the token has expired; looks again where the clock was moved.
  private func waitForExpiry() async throws {
    while true {
      let left = principal.issuedAt == nil ? Int64.max : principal.expiresAt - core.time.now
      try await Task.sleep(for: .milliseconds(min(max(left, 1), 3_600_000)))
      if ending != nil {
        mailbox.alarm()
        try await Task.sleep(for: .seconds(3_600))
      }
    }
  }

  private var ending: StreamEnding? {
    service.departure.isNear ? .unavailable : AccessGate(core: core).ending(of: principal)
  }

  private func pump() async throws {
    try await deliver()
    for await _ in mailbox.bell { try await deliver() }
    throw CancellationError()
  }

  private func deliver() async throws {
    try await endIfOver()
    for signal in mailbox.takeTyping() {
      try await send(.typing(Typing(groupID: signal.groupID, userID: signal.userID)))
    }
    for group in positions.withLock({ $0.keys.sorted() }) { try await deliver(group) }
  }

  private func deliver(_ group: String) async throws {
    while true {
      let position = positions.withLock { $0[group] ?? 0 }
      let batch = try await GroupService(core: core).messages(
        group: group,
        after: position,
        limit: Self.batchSize
      )
      for message in batch {
        try await endIfOver()
        try await send(.message(Message(message)))
        advance(group, from: message.sequence - 1, to: message.sequence)
      }
      if batch.count < Self.batchSize { return }
    }
  }

  /// Moves a group's position, unless a new subscription moved it meanwhile.
  private func advance(_ group: String, from: Int64, to: Int64) {
    positions.withLock { positions in
      if let position = positions[group], position <= from { positions[group] = to }
    }
  }

  private func endIfOver() async throws {
    // Nothing is sent on the word of a look that is too old.
    try await core.catchUp()
    guard let ending else { return }
    if case .revoked(let reason) = ending {
      try await send(.sessionRevoked(SessionRevoked(reason: reason.code)))
    }
    throw GRPCStatus(ending)
  }

  private func send(_ event: Event.Kind) async throws {
    try await call.send(Event(event).protobuf)
  }

  private func readFrames() async throws {
    while let bytes = try await call.next() {
      let frame: ClientFrame = try RealtimeService.decode(bytes)
      switch frame.frame {
      case .subscribe(let request):
        try await add(request)
        mailbox.ring()
      case .send(let request):
        _ = try await service.send(request, by: principal)
      case .typing(let typing): try await signal(typing)
      // A kind of a later version of the contract.
      case nil: continue
      }
    }
  }

  private func add(_ request: SubscribeRequest) async throws {
    try await GroupService(core: core).requireMember(principal.userID, of: request.groupID)
    mailbox.watch(request.groupID)
    positions.withLock { $0[request.groupID] = Int64(clamping: request.afterSequence) }
  }

  private func signal(_ typing: Typing) async throws {
    try await GroupService(core: core).requireMember(principal.userID, of: typing.groupID)
    // Who types is said by the token, whatever the frame says.
    let signal = TypingSignal(groupID: typing.groupID, userID: principal.userID)
    core.announce(signal, from: mailbox)
  }
}
