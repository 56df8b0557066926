internal import Synchronization

extension EventLoop {
  /// Suspends until the descriptor is ready once.
  ///
  /// - Parameters:
  ///   - descriptor: an open descriptor that nothing else watches.
  ///   - interest: what to wait for.
  ///   - deadline: when to give up; nil waits for ever.
  /// - Throws: ``ByteStreamError`` of kind `timeout` at the deadline, of kind `cancelled` when
  ///   the task is cancelled.
  public func waitUntilReady(
    _ descriptor: Int32,
    for interest: Readiness,
    until deadline: ContinuousClock.Instant?
  ) async throws(ByteStreamError) {
    let wait = OneWait()
    let timer = deadline.map { deadline in
      schedule(at: deadline) {
        wait.finish(ByteStreamError(.timeout, "The peer did not answer in time."))
      }
    }
    watch(descriptor, for: interest) { _ in wait.finish(nil) }
    let failure = await withTaskCancellationHandler {
      await withCheckedContinuation { wait.suspend($0) }
    } onCancel: {
      wait.finish(ByteStreamError(.cancelled, "The connection attempt was cancelled."))
    }
    unwatch(descriptor)
    if let timer { cancel(timer) }
    if let failure { throw failure }
  }
}

/// A continuation and the one answer for it, in whichever order they come.
private final class OneWait: Sendable {
  private enum State {
    case open
    case waiting(CheckedContinuation<ByteStreamError?, Never>)
    case finished(ByteStreamError?)
  }

  private let state = Mutex(State.open)

  func suspend(_ continuation: CheckedContinuation<ByteStreamError?, Never>) {
    let answer: ByteStreamError?? = state.withLock { state in
      if case .finished(let answer) = state { return .some(answer) }
      state = .waiting(continuation)
      return nil
    }
    if let answer { continuation.resume(returning: answer) }
  }

  func finish(_ answer: ByteStreamError?) {
    let continuation: CheckedContinuation<ByteStreamError?, Never>? = state.withLock { state in
      defer { if case .finished = state {} else { state = .finished(answer) } }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    continuation?.resume(returning: answer)
  }
}
