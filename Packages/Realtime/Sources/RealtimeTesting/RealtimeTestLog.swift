internal import GRPC
internal import ProtobufWire
internal import Realtime
internal import Synchronization

/// The messages of a test server, and who waits for more.
final class RealtimeTestLog: Sendable {
  private struct State {
    var messages: [Message] = []
    var ending: (event: Event?, status: GRPCStatus)?
    var endings = 0
    var refusal: GRPCStatus?
    var acceptedTokens: Set<String>?
    var authorizations: [String] = []
    var subscriptions: [UInt64] = []
    var readers: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastReader = 0
    var observers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    mutating func takeReaders() -> [CheckedContinuation<Void, Never>] {
      defer { readers = [:] }
      return Array(readers.values)
    }
  }

  private let state = Mutex(State())

  var authorizations: [String] { state.withLock { $0.authorizations } }
  var subscriptions: [UInt64] { state.withLock { $0.subscriptions } }

  var handlers: [String: GRPCHandler] {
    [
      RealtimeMethod.subscribe: .serverStreaming { [self] in try await subscribe($0, $1) },
      RealtimeMethod.send: .unary { [self] in try send($0, $1) },
    ]
  }

  func append(
    _ body: String,
    group: String,
    sender: String,
    clientMessageID: String,
    sequence: UInt64?
  ) -> Message {
    let (message, readers) = state.withLock { state in
      let count = UInt64(state.messages.count { $0.groupID == group })
      let sequence = sequence ?? count + 1
      let message = Message(
        id: "\(group)-\(sequence)",
        groupID: group,
        senderID: sender,
        clientMessageID: clientMessageID,
        body: body,
        sequence: sequence,
        sentAtMilliseconds: 1
      )
      state.messages.append(message)
      return (message, state.takeReaders())
    }
    for reader in readers { reader.resume() }
    return message
  }

  func accept(_ tokens: Set<String>?) { state.withLock { $0.acceptedTokens = tokens } }

  func refuse(_ status: GRPCStatus?) { state.withLock { $0.refusal = status } }

  func revoke(_ reason: String) {
    end(GRPCStatus(.unauthenticated), after: Event(.sessionRevoked(SessionRevoked(reason: reason))))
  }

  func end(_ status: GRPCStatus, after event: Event? = nil) {
    let readers = state.withLock { state in
      state.ending = (event, status)
      state.endings += 1
      return state.takeReaders()
    }
    for reader in readers { reader.resume() }
  }

  func waitForSubscriptions(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.subscriptions.count >= count { return true }
        state.observers.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  private func authenticate(_ call: GRPCServerCall) throws {
    let authorization = call.metadata["authorization"] ?? ""
    let isAccepted = state.withLock { state in
      state.authorizations.append(authorization)
      return state.acceptedTokens?.contains(String(authorization.dropFirst(7))) ?? true
    }
    guard isAccepted else { throw GRPCStatus(.unauthenticated, "The token is refused.") }
  }

  private func send(_ request: [UInt8], _ call: GRPCServerCall) throws -> [UInt8] {
    try authenticate(call)
    let request = try SendRequest(protobuf: request)
    let known = state.withLock { state in
      state.messages.first {
        $0.clientMessageID == request.clientMessageID && $0.groupID == request.groupID
      }
    }
    let message =
      known
      ?? append(
        request.body,
        group: request.groupID,
        sender: "me",
        clientMessageID: request.clientMessageID,
        sequence: nil
      )
    return message.protobuf
  }

  private func subscribe(_ request: [UInt8], _ call: GRPCServerCall) async throws {
    try authenticate(call)
    let request = try SubscribeRequest(protobuf: request)
    let endings = began(request.afterSequence)
    if let refusal = state.withLock({ $0.refusal }) { throw refusal }
    try call.sendMetadata()
    var position = 0
    while true {
      let (messages, ending) = state.withLock { state in
        let messages = Array(state.messages.dropFirst(position))
        return (messages, state.endings > endings ? state.ending : nil)
      }
      for message in messages
      where message.groupID == request.groupID && message.sequence > request.afterSequence {
        try await call.send(Event(.message(message)).protobuf)
      }
      position += messages.count
      if let ending {
        if let event = ending.event { try await call.send(event.protobuf) }
        throw ending.status
      }
      try await waitForMore(position, endings)
    }
  }

  private func began(_ after: UInt64) -> Int {
    let (endings, observers) = state.withLock { state in
      state.subscriptions.append(after)
      let count = state.subscriptions.count
      let observers = state.observers.filter { $0.count <= count }.map(\.continuation)
      state.observers.removeAll { $0.count <= count }
      return (state.endings, observers)
    }
    for observer in observers { observer.resume() }
    return endings
  }

  private func waitForMore(_ position: Int, _ endings: Int) async throws {
    let number = state.withLock { state in
      state.lastReader += 1
      return state.lastReader
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          guard state.messages.count == position, state.endings == endings, !Task.isCancelled
          else { return false }
          state.readers[number] = continuation
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.readers.removeValue(forKey: number) }?.resume()
    }
    try Task.checkCancellation()
  }
}
