internal import ByteStream

/// The timer of a deadline, if there is one.
struct TimerBox: Sendable {
  private let loop: EventLoop
  private let timer: TimerID?

  init(
    _ loop: EventLoop,
    at deadline: ContinuousClock.Instant?,
    _ body: @escaping @Sendable () -> Void
  ) {
    self.loop = loop
    timer = deadline.map { loop.schedule(at: $0, body) }
  }

  func cancel() {
    if let timer { loop.cancel(timer) }
  }
}
