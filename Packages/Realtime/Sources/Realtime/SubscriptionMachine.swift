internal import GRPC
internal import ProtobufWire

/// Decides what a subscription delivers, and what it does when its stream ends: a value without
/// clock, lock or I/O.
///
/// No sequence is delivered twice, and none is passed over in silence, through any number of
/// streams. It ends only for the reasons that ``Next/fail`` names.
struct SubscriptionMachine {
  enum End: Equatable {
    /// The stream ended; OK counts as a reason too, for a subscription has no end.
    case status(GRPCStatus.Code)
    /// The connection of a stream that the server had accepted broke.
    case connectionLost
    /// UNAUTHENTICATED, after the provider was asked.
    case refused(GRPCTokenRenewal)
    /// The provider had no token.
    case noToken(endsSession: Bool)
    /// The channel was shut down.
    case shutDown
  }

  enum Next: Equatable {
    /// Subscribe after ``SubscriptionMachine/last`` at once.
    case subscribe
    /// The same after a pause.
    case pause(Duration)
    /// Ask the provider about the token, then go on with ``SubscriptionMachine/confirmed(_:)``.
    case confirmToken
    /// The end: the group, the method or the session is gone.
    case fail
  }

  /// Gaps beyond so many are forgotten, oldest first; a message that fills one is then dropped.
  static let maximumGaps = 64

  let groupID: String
  /// The highest sequence delivered: where the next stream begins.
  private(set) var last: UInt64
  private var gaps: [ClosedRange<UInt64>] = []
  private var backoff: Backoff
  private var hasProgressed = false

  init(groupID: String, after: UInt64, backoff: Backoff = Backoff()) {
    self.groupID = groupID
    self.last = after
    self.backoff = backoff
  }

  /// A new stream begins.
  mutating func began() { hasProgressed = false }

  /// What to deliver for an event of the stream.
  mutating func receive(_ event: Event.Kind) -> [RealtimeEvent] {
    switch event {
    case .message(let message): return receive(message)
    case .typing(let typing):
      guard belongs(typing.groupID) else { return [] }
      return [.typing(userID: typing.userID)]
    case .sessionRevoked: return []
    }
  }

  private mutating func receive(_ message: Message) -> [RealtimeEvent] {
    // Sequences begin with 1: a message without one has no place in the group.
    guard belongs(message.groupID), message.sequence > 0 else { return [] }
    let event = RealtimeEvent.message(RealtimeMessage(message))
    guard message.sequence > last else {
      guard fill(message.sequence) else { return [] }
      progressed()
      return [event]
    }
    progressed()
    defer { last = message.sequence }
    guard message.sequence - last > 1 else { return [event] }
    gaps.append(last + 1...message.sequence - 1)
    if gaps.count > Self.maximumGaps { gaps.removeFirst() }
    return [.gap(after: last, before: message.sequence), event]
  }

  /// Whether a sequence lies in a gap, which it then fills.
  private mutating func fill(_ sequence: UInt64) -> Bool {
    guard let index = gaps.firstIndex(where: { $0.contains(sequence) }) else { return false }
    let gap = gaps.remove(at: index)
    if sequence < gap.upperBound { gaps.insert(sequence + 1...gap.upperBound, at: index) }
    if sequence > gap.lowerBound { gaps.insert(gap.lowerBound...sequence - 1, at: index) }
    return true
  }

  /// The stream ended.
  ///
  /// - Parameters:
  ///   - end: how.
  ///   - lasted: how long it had been open.
  ///   - chance: 0 to 1, spreads the pauses.
  /// - Returns: what follows.
  mutating func ended(_ end: End, lasted: Duration, chance: Double) -> Next {
    // A stream of a quiet group is good too when it lasted.
    if lasted >= .seconds(10) { progressed() }
    switch end {
    case .status(.permissionDenied), .status(.notFound), .status(.invalidArgument),
      .status(.unimplemented), .noToken(endsSession: true), .refused(.nothingNew), .shutDown:
      return .fail
    case .refused(.notAsked): return .confirmToken
    case .connectionLost:
      // The server was good when it was there: the pause that keeps a crash from being repeated
      // in a loop is a short one, however often it restarts.
      backoff.reset()
      return hasProgressed ? .subscribe : .pause(backoff.next(chance: chance))
    case .refused(.renewed), .noToken, .status:
      return hasProgressed ? .subscribe : .pause(backoff.next(chance: chance))
    }
  }

  /// The provider was asked about the token of a stream that ended for it.
  ///
  /// - Parameters:
  ///   - isRenewed: whether there is another token.
  ///   - chance: 0 to 1, spreads the pauses.
  /// - Returns: what follows.
  mutating func confirmed(_ isRenewed: Bool, chance: Double) -> Next {
    guard isRenewed else { return .fail }
    // A server that refuses every token must not be asked without pause.
    return hasProgressed ? .subscribe : .pause(backoff.next(chance: chance))
  }

  /// The network is another one: no pause is of use.
  mutating func networkChanged() { backoff.reset() }

  /// The stream was of use.
  ///
  /// A message is only where it had not been delivered: a server that repeats one and then fails
  /// would be asked in a loop.
  private mutating func progressed() {
    hasProgressed = true
    backoff.reset()
  }

  private func belongs(_ group: String) -> Bool { group.isEmpty || group == groupID }
}
