#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Synchronization

/// Messages that were written and not sent yet: kept in the store, sent once and in order.
///
/// What ``write(_:to:clientMessageID:)`` returns is durable: it survives a restart and SIGKILL, and
/// is sent as soon as that can be. Per group only the oldest message is under way, and the next one
/// follows when the server has answered, so the order holds. A message whose answer was lost is
/// sent again by the same client message id, for which the server returns the message that it has.
/// Several processes on one store may send at the same time for the same reason: nothing is
/// doubled and nothing overtakes.
///
/// A temporary failure is followed by another try, later and later up to half a minute, with a part
/// by chance, never before what `Retry-After` asks for. A message that the server refuses for good
/// (a 4xx other than 401, 408 and 429) stays as failed until it is sent again or discarded.
///
/// Unsent messages belong to the signed-in period: whatever ends the session drops them (R4). An
/// app that wants to ask first looks at ``unsent()``.
public final class Outbox: Sendable {
  /// The most messages of a group that wait or have failed.
  public static let mostUnsent = 200
  /// The most bytes of UTF-8 in a message.
  public static let mostBytes = 65_536

  struct State {
    var period: SessionPeriod?
    var machines: [String: OutboxMachine] = [:]
    var senders: [String: Task<Void, Never>] = [:]
    /// Of the groups that have a sender: rung where there is reason to look again.
    var bells: [String: Bell] = [:]
    /// What the server has asked for with one message, and all wait for.
    var pause: OutboxMachine.Pause?
    /// What the server has confirmed and nobody was told of yet, by the group's id.
    var confirmed: [String: [OutboxEntry]] = [:]
    var observers: [Int: @Sendable (OutboxNews) -> Void] = [:]
    var nextObserver = 0
  }

  let calls: MessageCalls
  let storage: any MessageStorage
  let clock: any Clock<Duration>
  let chance: @Sendable () -> Double
  let now: @Sendable () -> Duration
  let state = Mutex(State())
  private let date: @Sendable () -> Double

  init(
    calls: MessageCalls,
    storage: any MessageStorage,
    clock: any Clock<Duration>,
    chance: @escaping @Sendable () -> Double,
    date: @escaping @Sendable () -> Double
  ) {
    self.calls = calls
    self.storage = storage
    self.clock = clock
    self.chance = chance
    self.date = date
    now = stopwatch(of: clock)
  }

  deinit { state.withLock { $0.senders.values.forEach { $0.cancel() } } }
}

// MARK: Writing

extension Outbox {
  /// Keeps a message, durably, and sends it as soon as that can be.
  ///
  /// - Parameters:
  ///   - text: the text, not empty, at most ``mostBytes``.
  ///   - group: the group's id.
  ///   - clientMessageID: what the message is called until the server knows it. One that waits
  ///     already is not kept twice.
  /// - Returns: the message as a timeline shows it.
  /// - Throws: ``MessageError``: `invalidInput`, also where ``mostUnsent`` wait; `sessionChanged`
  ///   where nobody is signed in; `storage`. Nothing is kept then.
  @discardableResult
  public func write(
    _ text: String,
    to group: String,
    clientMessageID: String = GroupMessages.newClientMessageID()
  ) async throws(MessageError) -> OwnSend {
    try await write(text, to: group, clientMessageID: clientMessageID, signedIn())
  }

  /// As ``write(_:to:clientMessageID:)``, for who began in a period and is to end in it (R4).
  func write(
    _ text: String,
    to group: String,
    clientMessageID: String = GroupMessages.newClientMessageID(),
    _ values: PeriodValues
  ) async throws(MessageError) -> OwnSend {
    let send = try await keep(text, to: group, clientMessageID: clientMessageID, values)
    startSending(group, values, hurrying: false)
    return send
  }

  /// Keeps a message as ``write(_:to:clientMessageID:)`` does, and waits for its first try.
  ///
  /// Messages that were written to the group before go first. Where the server has asked to wait,
  /// that is the error, at once.
  ///
  /// - Returns: the message as the server has it.
  /// - Throws: ``MessageError``, as ``write(_:to:clientMessageID:)``; a temporary error where the
  ///   message waits, and will be sent later; the refusal where it has failed for good.
  public func send(
    _ text: String,
    to group: String,
    clientMessageID: String = GroupMessages.newClientMessageID()
  ) async throws(MessageError) -> GroupMessage {
    let values = try signedIn()
    return try await firstTry(of: clientMessageID, in: group, values) {
      () async throws(MessageError) in
      try await keep(text, to: group, clientMessageID: clientMessageID, values)
    }
  }

  @discardableResult
  private func keep(
    _ text: String,
    to group: String,
    clientMessageID: String,
    _ values: PeriodValues
  ) async throws(MessageError) -> OwnSend {
    // Refused here what the server would never take, before anything is kept.
    _ = try calls.dialect.sendRequest(group: group, clientMessageID: clientMessageID, body: text)
    guard text.utf8.count <= Outbox.mostBytes else {
      throw .invalidInput(.longBody(text.utf8.count))
    }
    let entry = OutboxEntry(clientMessageID: clientMessageID, body: text, writtenAt: date())
    let hasRoom = try await modify(group, values) { $0.append(entry) }
    guard hasRoom else { throw .invalidInput(.tooManyUnsent) }
    tell(.changed, of: group, values)
    return entry.ownSend
  }
}

// MARK: What waits

extension Outbox {
  /// The unsent messages of a group, in the order of writing.
  ///
  /// - Throws: ``MessageError/storage(_:)``.
  public func unsent(in group: String) throws(MessageError) -> [OwnSend] {
    try PeriodValues.present(in: storage).map { values throws(MessageError) in
      try list(of: group, values).entries.map(\.ownSend)
    } ?? []
  }

  /// The unsent messages of all groups that have some, by the group's id.
  ///
  /// - Throws: ``MessageError/storage(_:)``.
  public func unsent() throws(MessageError) -> [String: [OwnSend]] {
    try Outbox.unsent(in: storage)
  }

  /// The unsent messages that a storage has, by the group's id: what a sign-out would drop.
  ///
  /// - Parameter storage: needs nobody's session.
  /// - Returns: them, those of a group in the order of writing.
  /// - Throws: ``MessageError/storage(_:)``.
  public static func unsent(
    in storage: any MessageStorage
  ) throws(MessageError) -> [String: [OwnSend]] {
    guard let values = try PeriodValues.present(in: storage) else { return [:] }
    var unsent: [String: [OwnSend]] = [:]
    for group in try groups(values) {
      let list = try values.value(OutboxList.self, forKey: key(group))
      unsent[group] = list?.entries.map(\.ownSend)
    }
    return unsent
  }

  /// Sends a failed message again, in its old place.
  ///
  /// - Throws: ``MessageError``: `sessionChanged`, `storage`.
  /// - Returns: whether there is such a message.
  @discardableResult
  public func resend(
    _ clientMessageID: String,
    in group: String
  ) async throws(MessageError) -> Bool {
    try await resend(clientMessageID, in: group, signedIn())
  }

  /// As ``resend(_:in:)``, for who began in a period and is to end in it (R4).
  func resend(
    _ clientMessageID: String,
    in group: String,
    _ values: PeriodValues
  ) async throws(MessageError) -> Bool {
    let isThere = try await modify(group, values) { $0.mark(clientMessageID, refused: nil) }
    guard isThere else { return false }
    tell(.changed, of: group, values)
    startSending(group, values)
    return true
  }

  /// Sends a message that waits or has failed, and waits for that try.
  ///
  /// - Returns: the message as the server has it.
  /// - Throws: ``MessageError``, as ``send(_:to:clientMessageID:)``; `cancelled` where there is no
  ///   such message.
  public func resendNow(
    _ clientMessageID: String,
    in group: String
  ) async throws(MessageError) -> GroupMessage {
    let values = try signedIn()
    return try await firstTry(of: clientMessageID, in: group, values) {
      () async throws(MessageError) in
      guard try await modify(group, values, { $0.mark(clientMessageID, refused: nil) }) else {
        throw .cancelled
      }
      tell(.changed, of: group, values)
    }
  }

  /// Gives a message up.
  ///
  /// One that is under way just then may arrive all the same.
  ///
  /// - Throws: ``MessageError``: `sessionChanged`, `storage`.
  /// - Returns: whether there was such a message.
  @discardableResult
  public func discard(
    _ clientMessageID: String,
    in group: String
  ) async throws(MessageError) -> Bool {
    try await discard(clientMessageID, in: group, signedIn())
  }

  /// As ``discard(_:in:)``, for who began in a period and is to end in it (R4).
  func discard(
    _ clientMessageID: String,
    in group: String,
    _ values: PeriodValues
  ) async throws(MessageError) -> Bool {
    let isThere = try await modify(group, values) { $0.remove(clientMessageID) }
    if isThere { tell(.discarded(clientMessageID), of: group, values) }
    return isThere
  }

  /// Sends what waits, now rather than later: at the app's start, when it comes to the front, and
  /// when the network is back.
  ///
  /// What the server has asked to wait for is waited for all the same.
  ///
  /// - Throws: ``MessageError/storage(_:)``.
  public func resume() throws(MessageError) {
    guard let values = try PeriodValues.present(in: storage) else { return }
    for group in try Outbox.groups(values) { startSending(group, values) }
  }

  /// Tries every message that waits, and ends when each was answered for or has to wait.
  ///
  /// - Returns: what came of it.
  /// - Throws: ``MessageError/storage(_:)``.
  public func sendWaiting() async throws(MessageError) -> OutboxDelivery {
    var delivery = OutboxDelivery()
    guard let values = try PeriodValues.present(in: storage) else { return delivery }
    for group in try Outbox.groups(values) { try await sendWaiting(in: group, values, &delivery) }
    return delivery
  }

  /// Tries every message that waits in a group, and ends when each was answered for or has to wait.
  ///
  /// Whoever sends a message without the outbox does this first, so that it overtakes none; what
  /// ``unsent(in:)-method`` has as ``OwnSend/State/sending`` after it waits still.
  ///
  /// - Parameter group: the group's id.
  /// - Returns: what came of it.
  /// - Throws: ``MessageError/storage(_:)``.
  public func sendWaiting(in group: String) async throws(MessageError) -> OutboxDelivery {
    var delivery = OutboxDelivery()
    guard let values = try PeriodValues.present(in: storage) else { return delivery }
    try await sendWaiting(in: group, values, &delivery)
    return delivery
  }

  private func sendWaiting(
    in group: String,
    _ values: PeriodValues,
    _ delivery: inout OutboxDelivery
  ) async throws(MessageError) {
    for entry in try list(of: group, values).entries where entry.refusal == nil {
      do throws(MessageError) {
        delivery.sent.append(try await firstTry(of: entry.clientMessageID, in: group, values) {})
      } catch {
        delivery.failures[group] = error
        // Refused for good, or discarded, is that message's affair; else those after it wait as well.
        let left = try list(of: group, values).entry(entry.clientMessageID)
        if let left, left.refusal == nil { break }
      }
    }
  }
}
