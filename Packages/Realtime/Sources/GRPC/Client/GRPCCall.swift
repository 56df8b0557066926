internal import HTTP2
public import Secrets
internal import Synchronization

/// One call of any kind, at the client: messages out by ``send(_:)``, messages in by ``next()``.
///
/// One task may send while another one reads; each of them only one at a time. Cancelling either
/// cancels the call, and the server sees it at once. So does dropping the last reference.
public final class GRPCCall: Sendable {
  struct State {
    var machine = CallMachine()
    var attempt: ClientAttempt?
    /// Messages of the attempt that wait for their reader.
    var batch = InboundBatch()
    var token: Secret?
    /// All that was sent, as long as it may have to be sent again.
    var replay: [[UInt8]] = []
    var replayBytes = 0
    var canReplay = true
    var isSendEnded = false
    /// Given when an attempt has caught up with ``replay``.
    var starting: OneShot<Void>?
    var tokenRenewal = GRPCTokenRenewal.notAsked
    var isFinished = false
    var error: GRPCError?
    var metadata = GRPCMetadata()
    var trailers = GRPCMetadata()
  }

  let core: ChannelCore
  let request: ClientRequest
  let provider: (any TokenProvider)?
  let control = CallControl()
  let deadline: ContinuousClock.Instant?
  let state = Mutex(State())
  private let timer: TimerBox
  /// Kept, for a channel that goes shuts down.
  private let channel: GRPCChannel

  init(
    core: ChannelCore,
    request: ClientRequest,
    provider: (any TokenProvider)?,
    channel: GRPCChannel
  ) {
    self.core = core
    self.channel = channel
    self.request = request
    self.provider = request.hasOwnAuthorization || !request.options.carriesToken ? nil : provider
    deadline = request.options.deadline.map { ContinuousClock.now + $0 }
    timer = TimerBox(core.loop, at: deadline) { [control] in
      control.interrupt(GRPCStatus(.deadlineExceeded, "The deadline has passed."))
    }
  }

  deinit { cancel() }

  /// The metadata that the answer began with; empty before the first message has come.
  public var metadata: GRPCMetadata { state.withLock { $0.attempt?.metadata ?? $0.metadata } }

  /// The metadata that came with the status; empty before ``next()`` has returned nil.
  public var trailers: GRPCMetadata { state.withLock { $0.trailers } }

  /// The provider's token that the last attempt carried.
  public var token: Secret? { state.withLock { $0.token } }

  /// What became of the provider's token when the server answered UNAUTHENTICATED.
  package var tokenRenewal: GRPCTokenRenewal { state.withLock { $0.tokenRenewal } }

  /// Sends one message; suspends while the server is slower than the caller.
  ///
  /// - Parameter message: the bytes; compressed here if the options say so.
  /// - Throws: ``GRPCError`` when the call is over; ``next()`` says how it ended.
  public func send(_ message: [UInt8]) async throws(GRPCError) {
    let frame: [UInt8]
    do throws(GRPCStatus) {
      frame = try request.options.compression.frame(message)
    } catch {
      throw GRPCError(error)
    }
    let (attempt, starting, isOver) = state.withLock { $0.keep(frame, limit: replayLimit) }
    if isOver { throw GRPCError(GRPCStatus(.cancelled, "The call is over.")) }
    await withTaskCancellationHandler {
      await starting?.value
      await attempt?.send(OutboundPart(body: frame))
    } onCancel: {
      cancel()
    }
    if let reason = control.reason { throw GRPCError(reason) }
  }

  /// Says that no more messages follow.
  public func closeSend() async {
    let attempt = state.withLock { state -> ClientAttempt? in
      guard !state.isSendEnded else { return nil }
      state.isSendEnded = true
      return state.starting == nil ? state.attempt : nil
    }
    await attempt?.send(OutboundPart(isLast: true))
  }

  /// The next message, or nil when the call ended with OK.
  ///
  /// - Throws: ``GRPCError`` when it ended otherwise, again at each further call.
  public func next() async throws(GRPCError) -> [UInt8]? {
    // What came together with an earlier message costs no change of thread and one lock.
    if !control.isInterrupted, !Task.isCancelled,
      let message = state.withLock({ $0.batch.takePlain() })
    {
      return message
    }
    let result = await withTaskCancellationHandler {
      await advance()
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  /// Ends the call at once with CANCELLED.
  public func cancel() { control.interrupt(GRPCStatus(.cancelled, "The call was cancelled.")) }

  /// Tells the provider that the token of this call was refused, for a call that had delivered
  /// messages and was therefore not tried again.
  ///
  /// - Returns: true when there is another token now.
  /// - Throws: what the provider throws.
  public func reportRefusedToken() async throws -> Bool {
    guard let provider, let token else { return false }
    return try await provider.tokenWasRefused(token)
  }

  private var replayLimit: Int { core.configuration.replayBuffer }

  /// Ends the call for its caller.
  func finish(_ outcome: CallOutcome, tokenError: (any Error)? = nil) {
    let attempt = state.withLock { state -> ClientAttempt? in
      guard !state.isFinished else { return nil }
      state.isFinished = true
      state.metadata = outcome.metadata
      state.trailers = outcome.trailers
      state.replay = []
      state.batch = InboundBatch()
      if outcome.status.code != .ok {
        var error = GRPCError(outcome.status, cause: outcome.cause)
        error.metadata = outcome.metadata
        error.trailers = outcome.trailers
        error.tokenError = tokenError
        error.hadBegun = outcome.hadBegun
        state.error = error
      }
      defer { state.attempt = nil }
      return state.attempt
    }
    attempt?.release()
    control.clear()
    timer.cancel()
  }
}

/// Whether the provider was asked about a token that was refused.
package enum GRPCTokenRenewal: Sendable {
  /// It was not.
  case notAsked

  /// It had another one, and the call was tried once more.
  case renewed

  /// It had no other one.
  case nothingNew
}

extension GRPCCall.State {
  /// Notes a message that is to be sent.
  ///
  /// - Returns: the attempt to send it on, if it has caught up; what to wait for, when too much
  ///   is waiting already; whether the call is over.
  fileprivate mutating func keep(
    _ frame: [UInt8],
    limit: Int
  ) -> (ClientAttempt?, OneShot<Void>?, isOver: Bool) {
    guard !isFinished, !isSendEnded else { return (nil, nil, true) }
    if let starting {
      replay.append(frame)
      replayBytes += frame.count
      return (nil, replayBytes > limit ? starting : nil, false)
    }
    guard let attempt, canReplay || !attempt.isOver else { return (nil, nil, true) }
    if canReplay {
      replay.append(frame)
      replayBytes += frame.count
      if replayBytes > limit { forgetReplay() }
    }
    return (attempt, nil, false)
  }

  mutating func forgetReplay() {
    canReplay = false
    replay = []
    replayBytes = 0
  }
}
