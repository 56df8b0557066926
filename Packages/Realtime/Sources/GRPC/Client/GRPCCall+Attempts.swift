internal import HTTP2
internal import Secrets
internal import Synchronization

extension GRPCCall {
  /// Begins the call.
  ///
  /// - Parameter message: the only message of the request; nil when ``send(_:)`` brings them.
  /// - Throws: why it could not be sent.
  func start(_ message: [UInt8]?) async throws(GRPCError) {
    let result: Result<Void, GRPCError> = await withTaskCancellationHandler {
      do throws(GRPCStatus) {
        if let fault = request.fault { throw fault }
        if let message {
          let frame = try request.options.compression.frame(message)
          state.withLock { state in
            state.replay = [frame]
            state.isSendEnded = true
          }
        }
      } catch {
        finish(CallOutcome(status: error))
        return .failure(GRPCError(error))
      }
      do throws(GRPCError) {
        return .success(try await openAttempt())
      } catch {
        return .failure(error)
      }
    } onCancel: {
      cancel()
    }
    try result.get()
  }

  /// The next message or the end, over as many attempts as ``CallMachine`` allows.
  func advance() async -> Result<[UInt8]?, GRPCError> {
    while true {
      // Who gave a call up before it ended gets nothing more of it.
      let isDropped = control.isInterrupted && state.withLock { $0.attempt }?.isAborted == true
      let reading = state.withLock { state in
        if isDropped { state.batch = InboundBatch() }
        return Reading(&state)
      }
      if let error = reading.error { return .failure(error) }
      guard !reading.isFinished, let attempt = reading.attempt else { return .success(nil) }
      if let frame = reading.frame {
        if let position = reading.taken { attempt.took(upTo: position) }
        let message = message(in: frame, reading.encoding, attempt)
        if let message { return .success(message) }
        continue
      }
      switch await attempt.next(after: reading.taken) {
      case .messages(let batch):
        state.withLock { state in
          state.batch = batch
          state.machine.delivered()
          state.forgetReplay()
        }
      case .outcome(let outcome): await settle(outcome)
      }
    }
  }

  /// What a reader finds.
  private struct Reading {
    let attempt: ClientAttempt?
    let isFinished: Bool
    let error: GRPCError?
    let taken: Int?
    let frame: MessageFrame?
    let encoding: String

    init(_ state: inout State) {
      attempt = state.attempt
      isFinished = state.isFinished
      error = state.error
      taken = state.batch.takeReport()
      frame = state.batch.take()
      encoding = state.batch.encoding
    }
  }

  private func message(
    in frame: MessageFrame,
    _ encoding: String,
    _ attempt: ClientAttempt
  ) -> [UInt8]? {
    do throws(GRPCStatus) {
      let limit = core.configuration.maximumMessageBytes
      return try GRPCCompression.message(frame, encoding: encoding, limit: limit)
    } catch {
      var outcome = CallOutcome(status: error)
      outcome.metadata = attempt.metadata
      finish(outcome)
      return nil
    }
  }

  private func settle(_ outcome: CallOutcome) async {
    let (decision, token) = state.withLock { state in
      let decision = state.machine.ended(
        outcome,
        carriedToken: state.token != nil,
        canReplay: state.canReplay
      )
      if decision != .finish { state.starting = OneShot() }
      return (decision, state.token)
    }
    if control.reason != nil { return finish(outcome) }
    switch decision {
    case .finish: finish(outcome)
    case .retry: try? await openAttempt()
    case .renewToken:
      do {
        guard let token, let provider else { return finish(outcome) }
        let isRenewed = try await interruptibly { try await provider.tokenWasRefused(token) }
        state.withLock { $0.tokenRenewal = isRenewed ? .renewed : .nothingNew }
        guard isRenewed else { return finish(outcome) }
        try? await openAttempt()
      } catch let error as GRPCError {
        finish(CallOutcome(status: error.status))
      } catch {
        finish(outcome, tokenError: error)
      }
    }
  }

  /// Opens a stream and sends all that is to be sent; ends the call when it cannot.
  private func openAttempt() async throws(GRPCError) {
    do throws(GRPCError) {
      try await tryToOpen()
    } catch {
      var outcome = CallOutcome(status: error.status)
      outcome.cause = error.cause
      finish(outcome, tokenError: error.tokenError)
      state.withLock { $0.starting }?.give(())
      throw error
    }
  }

  private func tryToOpen() async throws(GRPCError) {
    for _ in 0..<5 {
      let connection = try await core.connection(
        waitsForReady: request.options.waitsForReady,
        control: control
      )
      let token = try await token()
      let attempt = ClientAttempt(configuration: core.configuration)
      let (sent, isLast) = state.withLock { ($0.replay, $0.isSendEnded) }
      let stream = connection.open(
        request.headers(token: token, timeout: deadline.map { $0 - ContinuousClock.now }),
        body: Self.joined(sent),
        end: isLast,
        handler: attempt
      )
      // The connection began to drain meanwhile: a new one, before anything was sent.
      guard let stream else { continue }
      attempt.opened(on: connection, stream: stream)
      control.onInterrupt { attempt.abort($0) }
      await catchUp(attempt, token, sent: sent.count, isEnded: isLast)
      return
    }
    throw GRPCError(
      GRPCStatus(.unavailable, "The server ends every connection at once."),
      cause: .network
    )
  }

  /// Sends what was added while the stream was opened, then lets ``send(_:)`` do it.
  private func catchUp(
    _ attempt: ClientAttempt,
    _ token: Secret?,
    sent: Int,
    isEnded: Bool
  ) async {
    var sent = sent
    while true {
      let (more, mustEnd, starting) = state.withLock { state in
        let more = Array(state.replay.dropFirst(sent))
        guard more.isEmpty else { return (more, false, OneShot<Void>?.none) }
        let starting = state.starting
        state.starting = nil
        state.attempt = attempt
        state.token = token
        return ([], state.isSendEnded && !isEnded, starting)
      }
      for frame in more { await attempt.send(OutboundPart(body: frame)) }
      sent += more.count
      if more.isEmpty {
        if mustEnd { await attempt.send(OutboundPart(isLast: true)) }
        starting?.give(())
        return
      }
    }
  }

  private func token() async throws(GRPCError) -> Secret? {
    guard let provider else { return nil }
    do {
      let token = try await interruptibly { try await provider.token() }
      // What no header can carry would be an injected header, or a broken connection.
      guard let token, !token.withBytes({ $0.allSatisfy { $0 > 0x20 && $0 < 0x7F } }) else {
        return token
      }
      throw GRPCError(GRPCStatus(.unauthenticated, "The token cannot be sent in a header."))
    } catch let error as GRPCError {
      throw error
    } catch {
      var failure = GRPCError(GRPCStatus(.unauthenticated, "There is no token for the call."))
      failure.tokenError = error
      throw failure
    }
  }

  /// Awaits the provider, but no longer than the call lives, however long the provider takes.
  private func interruptibly<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let answer = OneShot<Result<Value, any Error>>()
    let task = Task {
      do {
        answer.give(.success(try await body()))
      } catch {
        answer.give(.failure(error))
      }
    }
    control.onInterrupt { reason in
      task.cancel()
      answer.give(.failure(GRPCError(reason)))
    }
    return try await answer.value.get()
  }

  /// All frames in one piece; the usual single one is not copied.
  private static func joined(_ frames: [[UInt8]]) -> [UInt8] {
    if frames.count == 1 { return frames[0] }
    var bytes: [UInt8] = []
    for frame in frames { bytes.append(contentsOf: frame) }
    return bytes
  }
}
