internal import Synchronization

/// A continuation and the one answer for it, in whichever order they come; the first answer counts.
final class OneWait<Answer: Sendable>: Sendable {
  private enum State {
    case open
    case waiting(CheckedContinuation<Answer, Never>)
    case finished(Answer)
  }

  private let state = Mutex(State.open)

  /// Waits; only one task may.
  var answer: Answer {
    get async { await withCheckedContinuation { suspend($0) } }
  }

  func finish(_ answer: Answer) {
    let continuation: CheckedContinuation<Answer, Never>? = state.withLock { state in
      switch state {
      case .open: state = .finished(answer)
      case .waiting(let continuation):
        state = .finished(answer)
        return continuation
      case .finished: break
      }
      return nil
    }
    continuation?.resume(returning: answer)
  }

  private func suspend(_ continuation: CheckedContinuation<Answer, Never>) {
    let answer: Answer? = state.withLock { state in
      if case .finished(let answer) = state { return answer }
      state = .waiting(continuation)
      return nil
    }
    if let answer { continuation.resume(returning: answer) }
  }
}
