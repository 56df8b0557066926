import GroupMessages
import SessionModels
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A server of one group with real habits: it numbers messages, knows client message ids, has a
/// history, and tells who listens.
///
/// What goes wrong on the way a test says.
final class ChatServer: AuthenticatedRequests, EventStream {
  /// What becomes of one request.
  enum Fate: Sendable {
    /// It is answered.
    case answered
    /// It never arrives.
    case lost
    /// It arrives, and its answer is lost.
    case answerLost
    /// It is refused with a status.
    case refused(Int, retryAfter: Duration? = nil)
    /// It waits at a gate before it arrives, and is answered.
    case held(Gate)
    /// It arrives, and its answer waits at a gate.
    case answerHeld(Gate)
  }

  private struct State {
    var messages: [GroupMessage] = []
    var log: [MessageRequest] = []
    var listeners: [Int: AsyncThrowingStream<GroupEvent, any Error>.Continuation] = [:]
    var nextListener = 0
    var me: UserID = .me
  }

  private let state = Mutex(State())
  private let fate: @Sendable (MessageRequest, Int) -> Fate
  let posts = Gauge()
  /// How often its history was asked for.
  let reads = Gauge()
  let listening = Gauge()
  /// How many have stopped listening.
  let silence = Gauge()

  /// - Parameters:
  ///   - newest: how many messages of another user it has.
  ///   - fate: of a request, with the number of those of its method before it.
  init(
    newest: UInt64 = 0,
    fate: @escaping @Sendable (MessageRequest, Int) -> Fate = { _, _ in .answered }
  ) {
    self.fate = fate
    state.withLock { state in
      for sequence in 1..<(newest + 1) { state.messages.append(.fixture(sequence)) }
    }
  }

  var messages: [GroupMessage] { state.withLock { $0.messages } }
  var requests: [MessageRequest] { state.withLock { $0.log } }
  var historyTargets: [String] {
    requests.filter { $0.method == .get && $0.path.hasPrefix("/groups/") }.map(\.target)
  }
  /// The texts of its messages by `user-1`.
  var mine: [String] { messages.filter { $0.senderID == .me }.map(\.body) }

  /// Another user sends something, and whoever listens hears it.
  func say(_ body: String) { take(body, from: .other, id: nil) }

  /// Tells the listeners something.
  func tell(_ event: GroupEvent) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
  }

  /// Ends the listeners' streams.
  func hangUp(_ error: (any Error)? = nil) {
    for listener in state.withLock({ Array($0.listeners.values) }) {
      listener.finish(throwing: error)
    }
  }

  @discardableResult
  private func take(_ body: String, from sender: UserID, id: String?) -> GroupMessage {
    let (message, listeners) = state.withLock { state in
      if let id, let known = state.messages.first(where: { $0.clientMessageID == id }) {
        return (known, [AsyncThrowingStream<GroupEvent, any Error>.Continuation]())
      }
      let message = GroupMessage.fixture(
        UInt64(state.messages.count) + 1,
        sender: sender,
        clientMessageID: id,
        body: body
      )
      state.messages.append(message)
      return (message, Array(state.listeners.values))
    }
    for listener in listeners { listener.yield(.message(message)) }
    return message
  }

  func events(
    group: String,
    after: UInt64
  ) -> any AsyncSequence<GroupEvent, any Error> & Sendable {
    let (stream, continuation) = AsyncThrowingStream<GroupEvent, any Error>.makeStream()
    let (id, old) = state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = continuation
      return (state.nextListener, state.messages.filter { $0.sequence > after })
    }
    for message in old { continuation.yield(.message(message)) }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { state in _ = state.listeners.removeValue(forKey: id) }
      self?.silence.update { $0 += 1 }
    }
    listening.update { $0 += 1 }
    return stream
  }

  func isTemporary(_ error: any Error) -> Bool { (error as? PortError)?.isTemporary ?? false }

  func perform(_ request: MessageRequest) async throws -> MessageResponse {
    let fate = state.withLock { state in
      let number = state.log.count { $0.method == request.method }
      state.log.append(request)
      return self.fate(request, number)
    }
    if request.method == .get, request.path.hasPrefix("/groups/") { reads.update { $0 += 1 } }
    if case .held(let gate) = fate { await gate.pass() }
    defer { if request.method == .post { posts.update { $0 += 1 } } }
    switch fate {
    case .lost: throw PortError()
    case .refused(let status, let retryAfter):
      return MessageResponse(status, #"{"error":"no"}"#, retryAfter: retryAfter)
    case .answered, .held: return try answer(request)
    case .answerLost:
      _ = try answer(request)
      throw PortError()
    case .answerHeld(let gate):
      let answer = try answer(request)
      await gate.pass()
      try Task.checkCancellation()
      return answer
    }
  }

  private func answer(_ request: MessageRequest) throws -> MessageResponse {
    if request.method == .post {
      let send = try JSONDecoder().decode(Send.self, from: Data(request.body ?? []))
      let message = take(send.body, from: state.withLock { $0.me }, id: send.client_message_id)
      return MessageResponse(201, json(message))
    }
    guard request.path.hasPrefix("/groups/") else {
      return MessageResponse(200, #"{"id":"\#(state.withLock { $0.me.rawValue })"}"#)
    }
    let values = Dictionary(uniqueKeysWithValues: request.query.map { ($0.name, $0.value) })
    let before = values["before"].flatMap { UInt64($0) } ?? .max
    let limit = values["limit"].flatMap { Int($0) } ?? 50
    let there = messages.filter { $0.sequence < before }
    let page = there.suffix(limit).reversed().map(json).joined(separator: ",")
    return MessageResponse(200, #"{"messages":[\#(page)],"has_more":\#(there.count > limit)}"#)
  }

  private struct Send: Decodable {
    let client_message_id: String
    let body: String
  }

  private func json(_ message: GroupMessage) -> String {
    let id = message.clientMessageID.map { #""client_message_id":"\#($0)","# } ?? ""
    return #"{"id":"\#(message.id)","group_id":"demo","sender_id":"\#(message.senderID)",\#(id)"#
      + #""body":"\#(message.body)","sequence":\#(message.sequence),"#
      + #""sent_at":"2026-04-17T10:00:00Z"}"#
  }
}

extension ChatServer {
  /// A client of this server, whose chances are all the same.
  func messages(
    keptIn storage: any MessageStorage,
    typing: (any TypingSignals)? = nil,
    clock: VirtualClock,
    at date: Double = 0
  ) -> GroupMessages {
    GroupMessages(
      requests: self,
      events: self,
      dialect: .skyConnect,
      storage: storage,
      typing: typing,
      clock: clock,
      chance: { 1 },
      date: { date }
    )
  }
}
