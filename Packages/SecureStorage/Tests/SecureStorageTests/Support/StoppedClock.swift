import Synchronization

/// Waits that last until a test lets them pass.
final class StoppedClock: Sendable {
  private let begun: AsyncStream<Duration>
  private let begin: AsyncStream<Duration>.Continuation
  private let cancelled: AsyncStream<Void>
  private let cancel: AsyncStream<Void>.Continuation
  private let waiting = Mutex<AsyncStream<Void>.Continuation?>(nil)

  init() {
    (begun, begin) = AsyncStream.makeStream()
    (cancelled, cancel) = AsyncStream.makeStream()
  }

  /// The length of the next wait, once it has begun.
  func waits() async -> Duration? { await begun.first { _ in true } }

  func pass() { waiting.withLock { $0 }?.yield() }

  func wasCancelled() async -> Bool { await cancelled.first { _ in true } != nil }

  @Sendable func sleep(_ time: Duration) async throws {
    let (end, continuation) = AsyncStream<Void>.makeStream()
    waiting.withLock { $0 = continuation }
    begin.yield(time)
    for await _ in end { return }
    cancel.yield()
    throw CancellationError()
  }
}
