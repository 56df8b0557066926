#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The messages of the user's groups: read, sent and watched.
///
/// ```swift
/// let messages = GroupMessages(requests: session, events: realtime, dialect: .skyConnect)
/// let page = try await messages.history(group: "demo")
/// try await messages.send("Hello", to: "demo")
/// for try await case .message(let message) in messages.watch(group: "demo") {
///   print(message.body)
/// }
/// ```
///
/// One object serves all groups of whoever is signed in. What it keeps (the user's id, unsent
/// messages, the newest of each group) lies in its ``MessageStorage``, as part of the session.
public final class GroupMessages: Sendable {
  /// Who is signed in, for telling own messages from others'.
  public let currentUser: CurrentUser
  /// What was written and is not sent yet.
  public let outbox: Outbox

  private let calls: MessageCalls
  private let events: any EventStream
  private let typing: (any TypingSignals)?
  private let storage: any MessageStorage
  private let queue = HistoryQueue()
  private let clock: any Clock<Duration>
  private let chance: @Sendable () -> Double

  /// Group messages over a session and a realtime connection.
  ///
  /// - Parameters:
  ///   - requests: performs requests for the signed-in user.
  ///   - events: the live events of a group.
  ///   - dialect: how the backend writes messages.
  ///   - storage: where all that outlives the process is kept; by default nothing does.
  ///   - typing: tells others that the user is writing; by default nobody is told.
  ///   - currentUser: who is signed in; by default looked up through `requests`.
  ///   - clock: what waiting is measured by.
  ///   - chance: numbers from 0 to 1, which spread the tries of many clients.
  ///   - date: the device's clock, in seconds since 1970.
  public init(
    requests: any AuthenticatedRequests,
    events: any EventStream,
    dialect: MessageDialect,
    storage: any MessageStorage = InMemoryMessageStorage(),
    typing: (any TypingSignals)? = nil,
    currentUser: CurrentUser? = nil,
    clock: any Clock<Duration> = ContinuousClock(),
    chance: @escaping @Sendable () -> Double = { .random(in: 0...1) },
    date: @escaping @Sendable () -> Double = GroupMessages.secondsSince1970
  ) {
    let calls = MessageCalls(requests: requests, dialect: dialect)
    self.calls = calls
    self.currentUser =
      currentUser ?? CurrentUser(requests: requests, dialect: dialect, storage: storage)
    outbox = Outbox(calls: calls, storage: storage, clock: clock, chance: chance, date: date)
    self.events = events
    self.typing = typing
    self.storage = storage
    self.clock = clock
    self.chance = chance
  }

  /// The device's clock.
  public static func secondsSince1970() -> Double { Date().timeIntervalSince1970 }

  /// A part of a group's history, oldest message first.
  ///
  /// - Parameters:
  ///   - group: the group's id.
  ///   - before: the sequence to go back from; nil is from the newest message on.
  ///   - limit: the most messages wanted, within ``HistoryQuery/limits``.
  /// - Returns: the messages, and whether there are older ones.
  /// - Throws: ``MessageError/invalidInput(_:)`` before anything is sent, else what the server
  ///   or the port failed with. Nothing is retried.
  public func history(
    group: String,
    before: UInt64? = nil,
    limit: Int = HistoryQuery.defaultLimit
  ) async throws(MessageError) -> HistoryPage {
    try await calls.history(group: group, query: HistoryQuery(before: before, limit: limit))
  }

  /// Sends a message, and returns it as the server has it.
  ///
  /// Nothing is kept and nothing is retried; ``outbox`` does both. Sending the same client message
  /// id again is safe: the server returns the message that it has. So after a temporary failure,
  /// where nobody knows whether the message arrived, call it again with the same id. It does not wait
  /// for what lies in the ``outbox``: ``Outbox/sendWaiting(in:)`` before it keeps the order.
  ///
  /// - Parameters:
  ///   - text: the text, not empty.
  ///   - group: the group's id.
  ///   - clientMessageID: what the message is called until the server knows it.
  /// - Returns: the message with its id, sequence and time.
  /// - Throws: ``MessageError/invalidInput(_:)`` before anything is sent, else what the server
  ///   or the port failed with.
  @discardableResult
  public func send(
    _ text: String,
    to group: String,
    clientMessageID: String = GroupMessages.newClientMessageID()
  ) async throws(MessageError) -> GroupMessage {
    try await calls.send(text, to: group, clientMessageID: clientMessageID)
  }

  /// A fresh id for a message that is about to be sent.
  public static func newClientMessageID() -> String { UUID().uuidString.lowercased() }

  /// The messages of a group as they come, each sequence once and in order.
  ///
  /// - Parameters:
  ///   - group: the group's id.
  ///   - after: the last sequence that the caller has; 0 is from the first message on, nil
  ///     begins with what comes next.
  /// - Returns: the sequence to iterate over; nothing happens before.
  public func watch(group: String, after: UInt64? = nil) -> GroupWatch {
    GroupWatch(
      calls: calls,
      events: events,
      currentUser: currentUser,
      clock: clock,
      chance: chance,
      group: group,
      after: after
    )
  }

  /// A group's conversation as a screen shows it: cached, loaded, live and unsent messages.
  ///
  /// - Parameter group: the group's id.
  /// - Returns: the sequence of snapshots; nothing happens before one is asked for.
  public func timeline(of group: String) -> GroupTimeline {
    GroupTimeline(
      TimelineRun.Parts(
        group: group,
        calls: calls,
        events: events,
        typing: typing,
        currentUser: currentUser,
        outbox: outbox,
        storage: storage,
        queue: queue,
        clock: clock,
        chance: chance
      )
    )
  }
}
