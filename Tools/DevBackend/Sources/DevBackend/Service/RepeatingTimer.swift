internal import Dispatch
internal import Synchronization

/// Does something again and again, on a thread that may block.
final class RepeatingTimer: Sendable {
  private let source = Mutex<(any DispatchSourceTimer)?>(nil)

  /// Begins; the body runs first when one period is over, and never twice at once.
  func start(
    every period: Duration,
    leeway: DispatchTimeInterval = .seconds(1),
    _ body: @escaping @Sendable () -> Void
  ) {
    source.withLock { source in
      source?.cancel()
      let timer = DispatchSource.makeTimerSource(
        queue: DispatchQueue(label: "dev-backend.timer", target: .global())
      )
      let interval = DispatchTimeInterval.milliseconds(Int(period.milliseconds))
      timer.schedule(deadline: .now() + interval, repeating: interval, leeway: leeway)
      timer.setEventHandler(handler: body)
      timer.activate()
      source = timer
    }
  }

  /// Ends; a run that has begun goes on to its end.
  func stop() {
    source.withLock { source in
      source?.cancel()
      source = nil
    }
  }

  deinit { stop() }
}
