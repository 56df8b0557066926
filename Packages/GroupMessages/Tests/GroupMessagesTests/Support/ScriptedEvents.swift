import GroupMessages
import Synchronization

/// A live stream that a test writes by hand.
final class ScriptedEvents: EventStream {
  private let log = Mutex<[String]>([])
  private let subscribed = Gauge()
  private let terminated = Gauge()
  private let stream: AsyncThrowingStream<GroupEvent, any Error>
  private let continuation: AsyncThrowingStream<GroupEvent, any Error>.Continuation

  init() {
    (stream, continuation) = AsyncThrowingStream.makeStream()
    continuation.onTermination = { [terminated] _ in terminated.update { $0 = 1 } }
  }

  /// `group after`, for each subscription.
  var subscriptions: [String] { log.withLock { $0 } }

  func events(
    group: String,
    after: UInt64
  ) -> any AsyncSequence<GroupEvent, any Error> & Sendable {
    log.withLock { $0.append("\(group) \(after)") }
    subscribed.update { $0 += 1 }
    return stream
  }

  func send(_ sequences: UInt64...) {
    for sequence in sequences { continuation.yield(.message(.fixture(sequence))) }
  }

  func send(_ event: GroupEvent) { continuation.yield(event) }

  func finish(throwing error: (any Error)? = nil) { continuation.finish(throwing: error) }

  /// Returns when somebody has subscribed.
  func waitForSubscription() async { await subscribed.wait(for: 1) }

  /// Returns when the reader has gone.
  func waitForTermination() async { await terminated.wait(for: 1) }
}
