internal import GRPC
internal import Synchronization

/// What a client and its subscriptions share.
final class RealtimeCore: Sendable {
  private struct State {
    var channel = GRPCChannelState.idle
    var pauses: [Int: (until: ContinuousClock.Instant, end: OneShot<Bool>)] = [:]
    var lastPause = 0
    var reason = RealtimeState.ShutDownReason.requested

    var visible: RealtimeState {
      RealtimeState(channel, pauses: pauses.values.map(\.until), reason: reason)
    }
  }

  let channel: GRPCChannel
  let tokens: (any TokenProvider)?
  let clock: any GRPCClock
  let broadcast = StateBroadcast(RealtimeState.idle)
  private let state = Mutex(State())

  init(channel: GRPCChannel, tokens: (any TokenProvider)?, clock: any GRPCClock) {
    self.channel = channel
    self.tokens = tokens
    self.clock = clock
    channel.observeState { [weak self] state in self?.update { $0.channel = state } }
  }

  /// Suspends for a pause between two streams.
  ///
  /// - Returns: whether the network changed meanwhile, which ended the pause.
  func pause(for duration: Duration) async -> Bool {
    let until = clock.now + duration
    let end = OneShot<Bool>()
    let number = update { state in
      state.lastPause += 1
      state.pauses[state.lastPause] = (until, end)
      return state.lastPause
    }
    let sleep = Task { [clock] in
      try? await clock.sleep(until: until)
      end.give(false)
    }
    let wasCutShort = await withTaskCancellationHandler {
      await end.value
    } onCancel: {
      end.give(false)
    }
    sleep.cancel()
    update { _ = $0.pauses.removeValue(forKey: number) }
    return wasCutShort
  }

  func networkDidChange() {
    channel.networkDidChange()
    endPauses()
  }

  func willSuspend() { channel.willSuspend() }

  func didResume() {
    channel.didResume()
    endPauses()
  }

  private func endPauses() {
    for pause in state.withLock({ $0.pauses.values.map(\.end) }) { pause.give(true) }
  }

  func shutDown(_ reason: RealtimeState.ShutDownReason) {
    state.withLock { $0.reason = reason }
    channel.shutDown()
    broadcast.finish(.shutDown(reason))
    endPauses()
  }

  @discardableResult
  private func update<Value>(_ body: (inout State) -> Value) -> Value {
    state.withLock { state in
      defer { broadcast.publish(state.visible) }
      return body(&state)
    }
  }
}
