internal import GRPC

/// What a realtime client is doing about its connection.
public enum RealtimeState: Equatable, Sendable {
  /// Who ended it.
  public enum ShutDownReason: Equatable, Sendable {
    /// The app did.
    case requested

    /// The app did, because the session has ended.
    case sessionEnded
  }

  /// No connection, and none is needed.
  case idle

  /// A connection is being made.
  case connecting

  /// A connection is there.
  case ready

  /// The next attempt, of the connection or of a subscription, begins at this time.
  case waiting(until: ContinuousClock.Instant)

  /// The end.
  case shutDown(ShutDownReason)
}

extension RealtimeState {
  init(
    _ channel: GRPCChannelState,
    pauses: some Collection<ContinuousClock.Instant>,
    reason: ShutDownReason
  ) {
    self =
      switch channel {
      case .shutDown: .shutDown(reason)
      case .connecting: .connecting
      case .waiting(let until): .waiting(until: until)
      case .idle: pauses.min().map(Self.waiting) ?? .idle
      case .ready: pauses.min().map(Self.waiting) ?? .ready
      }
  }
}
