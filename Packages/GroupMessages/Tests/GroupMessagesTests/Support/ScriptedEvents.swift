import GroupMessages
import Synchronization

/// A live stream that a test writes by hand.
final class ScriptedEvents: EventStream {
  private struct State {
    var subscriptions: [String] = []
    var openings: [CheckedContinuation<Void, Never>] = []
    var isTerminated = false
    var endings: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let stream: AsyncThrowingStream<GroupEvent, any Error>
  private let continuation: AsyncThrowingStream<GroupEvent, any Error>.Continuation

  init() {
    (stream, continuation) = AsyncThrowingStream.makeStream()
    continuation.onTermination = { [weak self] _ in self?.terminated() }
  }

  /// `group after`, for each subscription.
  var subscriptions: [String] { state.withLock { $0.subscriptions } }

  func events(
    group: String,
    after: UInt64
  ) -> any AsyncSequence<GroupEvent, any Error> & Sendable {
    let openings = state.withLock { state in
      state.subscriptions.append("\(group) \(after)")
      defer { state.openings = [] }
      return state.openings
    }
    for opening in openings { opening.resume() }
    return stream
  }

  func send(_ sequences: UInt64...) {
    for sequence in sequences { continuation.yield(.message(.fixture(sequence))) }
  }

  func send(_ event: GroupEvent) { continuation.yield(event) }

  func finish(throwing error: (any Error)? = nil) { continuation.finish(throwing: error) }

  /// Returns when somebody has subscribed.
  func waitForSubscription() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if !state.subscriptions.isEmpty { return true }
        state.openings.append(continuation)
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Returns when the reader has gone.
  func waitForTermination() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.isTerminated { return true }
        state.endings.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  private func terminated() {
    let endings = state.withLock { state in
      state.isTerminated = true
      defer { state.endings = [] }
      return state.endings
    }
    for ending in endings { ending.resume() }
  }
}
