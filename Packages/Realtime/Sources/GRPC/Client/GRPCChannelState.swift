/// What a channel is doing about its connection.
public enum GRPCChannelState: Equatable, Sendable {
  /// No connection, and none is needed.
  case idle

  /// A connection is being made, or asked whether it has outlived the app's suspension.
  case connecting

  /// A connection is there.
  case ready

  /// The last attempt failed; the next one begins at this time, if one is needed then.
  case waiting(until: ContinuousClock.Instant)

  /// The channel was shut down.
  case shutDown
}

extension GRPCChannelState {
  init(_ state: ConnectionMachine.State) {
    self =
      switch state {
      case .idle: .idle
      case .connecting, .probing: .connecting
      case .ready, .doubtful: .ready
      case .waiting(let until): .waiting(until: until)
      case .shutDown: .shutDown
      }
  }
}
