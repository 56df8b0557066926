internal import Synchronization

/// One thread that waits for descriptors and timers, so that nothing ever blocks Swift's pool.
///
/// Handlers run on the loop's thread, with no lock of the loop held, and must not block. Every
/// method may be called from any thread. The thread lives until ``stop()``.
public final class EventLoop: Sendable {
  private struct Watch {
    let token: UInt64
    let handler: @Sendable (Readiness) -> Void
  }

  private struct State {
    var watches: [Int32: Watch] = [:]
    var timers = TimerQueue()
    var lastGeneration: UInt32 = 0
    var wakesAt: ContinuousClock.Instant?
    var isStopped = false
  }

  private let poller: any Poller
  private let state = Mutex(State())
  let jobs = Mutex(JobQueue())
  private let clock = ContinuousClock()

  /// Starts a loop on the system's best way to wait.
  public convenience init() {
    #if os(Linux) || os(Android)
    self.init(poller: EpollPoller())
    #else
    self.init(poller: PollPoller())
    #endif
  }

  init(poller: any Poller) {
    self.poller = poller
    startThread { self.run() }
  }

  /// Ends the thread; watches and timers are dropped without being called.
  public func stop() {
    // Woken under the lock: once the thread has seen `isStopped` it closes the poller, and the
    // number of its descriptor may be another one's.
    state.withLock { state in
      if state.isStopped { return }
      state.isStopped = true
      poller.wake()
    }
  }

  /// Watches a descriptor until ``unwatch(_:)``, level-triggered.
  ///
  /// - Parameters:
  ///   - descriptor: an open, non-blocking descriptor that is not watched yet.
  ///   - interest: what to watch for; errors and hang-ups are told as both.
  ///   - handler: may be called once more after `unwatch`, when that races with an event.
  public func watch(
    _ descriptor: Int32,
    for interest: Readiness,
    handler: @escaping @Sendable (Readiness) -> Void
  ) {
    state.withLock { state in
      if state.isStopped { return }
      state.lastGeneration &+= 1
      // Descriptors are reused at once; the generation tells an event of the last owner.
      let token = UInt64(state.lastGeneration) << 32 | UInt64(UInt32(bitPattern: descriptor))
      state.watches[descriptor] = Watch(token: token, handler: handler)
      poller.add(descriptor, interest, token: token)
    }
  }

  /// Changes what a watched descriptor is watched for.
  public func change(_ descriptor: Int32, to interest: Readiness) {
    state.withLock { state in
      guard let watch = state.watches[descriptor] else { return }
      poller.change(descriptor, interest, token: watch.token)
    }
  }

  /// Stops watching.
  ///
  /// Call it before the descriptor is closed.
  public func unwatch(_ descriptor: Int32) {
    state.withLock { state in
      guard state.watches.removeValue(forKey: descriptor) != nil else { return }
      poller.remove(descriptor)
    }
  }

  /// Calls `body` on the loop's thread at `deadline`, or as soon as possible after it.
  @discardableResult
  public func schedule(
    at deadline: ContinuousClock.Instant,
    _ body: @escaping @Sendable () -> Void
  ) -> TimerID {
    state.withLock { state in
      let timer = state.timers.insert(deadline, body)
      if !state.isStopped, state.wakesAt.map({ deadline < $0 }) ?? true { poller.wake() }
      return timer
    }
  }

  /// Drops a timer; one that is being called is not interrupted.
  public func cancel(_ timer: TimerID) {
    state.withLock { $0.timers.cancel(timer) }
  }

  /// Looks at the timers now.
  ///
  /// After the system has slept, a wait that began before goes on for up to a minute, and timers
  /// that have come due meanwhile wait with it.
  public func wake() {
    state.withLock { if !$0.isStopped { poller.wake() } }
  }

  /// Ends the present wait, or the next one.
  func interruptWait() {
    state.withLock { if !$0.isStopped { poller.wake() } }
  }

  private func run() {
    var batch: [UnownedJob] = []
    while let longest = nextWait() {
      let milliseconds = jobs.withLock { $0.beginWait(milliseconds: longest) }
      poller.wait(milliseconds: milliseconds) { token, readiness in
        // What the handler resumes here needs no wake.
        jobs.withLock { $0.endWait() }
        let descriptor = Int32(truncatingIfNeeded: token)
        let handler = state.withLock { state -> (@Sendable (Readiness) -> Void)? in
          guard let watch = state.watches[descriptor], watch.token == token else { return nil }
          return watch.handler
        }
        handler?(readiness)
      }
      for body in state.withLock({ $0.timers.takeDue(at: clock.now) }) { body() }
      runJobs(&batch)
    }
    poller.close()
    passOnJobs()
  }

  /// How long to wait; nil when the loop is stopped.
  private func nextWait() -> Int32? {
    state.withLock { state in
      if state.isStopped {
        state.watches = [:]
        state.timers = TimerQueue()
        return nil
      }
      state.wakesAt = state.timers.earliest()
      guard let deadline = state.wakesAt else { return -1 }
      let (seconds, attoseconds) = (deadline - clock.now).components
      if seconds < 0 || attoseconds < 0 { return 0 }
      // Rounded up, or the last millisecond would be spent spinning. A minute at most, since
      // the system's wait does not count sleep and the deadline does.
      return Int32(min(seconds, 60)) * 1000 + Int32(attoseconds / 1_000_000_000_000_000) + 1
    }
  }
}
