#if canImport(CCurl)
internal import CCurl
internal import Synchronization

/// The thread that owns libcurl's multi handle and all transfers on it.
///
/// Others only leave messages in its inbox and wake it up; nothing but the thread itself touches
/// a handle, apart from `curl_multi_wakeup`, which is made for that. Tasks that prefer it run
/// between two looks at the network: what they ask for begins, and what they wait for goes on,
/// without a wake.
final class CurlThread: TaskExecutor {
  private let configuration: CurlConfiguration
  private let inbox = Mutex(Inbox())

  private struct Inbox {
    var jobs: [UnownedJob] = []
    var submitted: [CurlExchange] = []
    var resumed: [CurlLoop.Resumption] = []
    var hasCancelled = false
    var isStopped = false
    /// To wake the thread with; nil while it does not run.
    var multi: MultiHandle?
    /// Which thread it is, while it runs.
    var thread: UInt?

    /// Whether the thread has taken everything out; if not, it has been woken already.
    var isEmpty: Bool {
      jobs.isEmpty && submitted.isEmpty && resumed.isEmpty && !hasCancelled
    }

    /// What to wake so that a message is seen that is about to be put in: nothing where the thread
    /// has been woken already, or puts it in itself, for it looks again before it sleeps.
    var sleeper: MultiHandle? {
      isEmpty && thread != DetachedThread.current ? multi : nil
    }
  }

  /// The multi handle on its way to the thread that uses it.
  ///
  /// `@unchecked` holds because the handle is used by that thread only, but for
  /// `curl_multi_wakeup`, which libcurl allows from any thread. The thread closes the handle only
  /// after `stop()`, which the transport calls when nobody can send or cancel any more, and after it
  /// took the handle out of the inbox, under whose lock everybody else wakes.
  private struct MultiHandle: @unchecked Sendable { let pointer: UnsafeMutableRawPointer }

  init(_ configuration: CurlConfiguration) { self.configuration = configuration }

  /// Has an exchange carried out; the continuation is resumed once, whatever happens.
  func submit(
    _ exchange: CurlExchange,
    _ continuation: CheckedContinuation<CurlExchange.Answer, Never>
  ) {
    guard exchange.wait(continuation) else { return }
    let (hasThread, sleeper) = inbox.withLock { inbox in
      if inbox.multi == nil { inbox.multi = start() }
      guard inbox.multi != nil else { return (false, MultiHandle?.none) }
      let sleeper = inbox.sleeper
      inbox.submitted.append(exchange)
      return (true, sleeper)
    }
    wake(sleeper)
    if !hasThread {
      exchange.answer(
        .failure(
          TransportError(
            .network,
            "libcurl could not be started: too many files are open, or there is no memory",
            isUnsent: true
          )
        )
      )
    }
  }

  /// Ends an exchange: its caller at once, its transfer as soon as the thread comes round.
  func cancel(_ exchange: CurlExchange) {
    exchange.answer(.failure(.cancelledByCaller))
    let sleeper = inbox.withLock { inbox in
      let sleeper = inbox.sleeper
      inbox.hasCancelled = true
      return sleeper
    }
    wake(sleeper)
  }

  /// Goes on with a transfer that had nothing to send.
  ///
  /// Who calls this holds no transport, so the thread is woken with the lock held: as long as
  /// there is a handle in the inbox it is open.
  func resume(_ resumption: CurlLoop.Resumption) {
    inbox.withLock { inbox in
      guard inbox.multi != nil else { return }
      if let sleeper = inbox.sleeper { curl_multi_wakeup(sleeper.pointer) }
      inbox.resumed.append(resumption)
    }
  }

  /// Runs a task's next step on the thread, and on Swift's own threads where that cannot be
  /// started, or has ended.
  ///
  /// Woken as for ``resume(_:)``: a task may outlive the transport.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isTaken = inbox.withLock { inbox in
      if inbox.multi == nil, !inbox.isStopped { inbox.multi = start() }
      guard inbox.multi != nil, !inbox.isStopped else { return false }
      if let sleeper = inbox.sleeper { curl_multi_wakeup(sleeper.pointer) }
      inbox.jobs.append(job)
      return true
    }
    if !isTaken { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
  }

  /// Wakes the thread without the lock, which it takes as soon as it is awake.
  ///
  /// The handle is still there: whoever sends or cancels holds the transport, and only when that
  /// goes away does the thread close it.
  private func wake(_ sleeper: MultiHandle?) {
    if let sleeper { curl_multi_wakeup(sleeper.pointer) }
  }

  /// Ends the thread; whoever still waits is answered.
  func stop() {
    inbox.withLock { inbox in
      inbox.isStopped = true
      if let multi = inbox.multi { curl_multi_wakeup(multi.pointer) }
    }
  }

  private func start() -> MultiHandle? {
    guard CurlLibrary.isReady, let pointer = curl_multi_init() else { return nil }
    // Without free file descriptors libcurl makes a handle that nobody can wake.
    guard curl_multi_wakeup(pointer) == CURLM_OK else {
      curl_multi_cleanup(pointer)
      return nil
    }
    let multi = MultiHandle(pointer: pointer)
    // A storm of requests must not run into the limit of open files, nor a small server's queue.
    ccurl_multi_setopt_long(pointer, CURLMOPT_MAX_HOST_CONNECTIONS, 100)
    ccurl_multi_setopt_long(pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, 200)
    ccurl_multi_setopt_long(pointer, CURLMOPT_MAXCONNECTS, 100)
    guard DetachedThread.start({ [self] in run(multi) }) else {
      curl_multi_cleanup(pointer)
      return nil
    }
    return multi
  }

  private func run(_ multi: MultiHandle) {
    var loop = CurlLoop(multi: multi.pointer, configuration: configuration) { [weak self] in
      self?.resume($0)
    }
    inbox.withLock { $0.thread = DetachedThread.current }
    // These change places with the inbox's, so that neither side asks for memory each time.
    var jobs: [UnownedJob] = []
    var submitted: [CurlExchange] = []
    while true {
      // Only those that are there by now, so that tasks which go on and on hold up no network.
      inbox.withLock { swap(&$0.jobs, &jobs) }
      for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
      jobs.removeAll(keepingCapacity: true)
      let messages = inbox.withLock { inbox in
        swap(&inbox.submitted, &submitted)
        defer {
          inbox.resumed = []
          inbox.hasCancelled = false
          if inbox.isStopped {
            swap(&inbox.jobs, &jobs)
            inbox.multi = nil
          }
        }
        return (
          resumed: inbox.resumed, hasCancelled: inbox.hasCancelled, isStopped: inbox.isStopped
        )
      }
      if messages.isStopped {
        for exchange in submitted { exchange.answer(.failure(.cancelledByCaller)) }
        loop.close()
        for job in jobs { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
        return
      }
      if messages.hasCancelled { loop.abandonUnwanted() }
      for resumption in messages.resumed { loop.resume(resumption) }
      for exchange in submitted { loop.begin(exchange) }
      submitted.removeAll(keepingCapacity: true)
      if loop.advance() || inbox.withLock({ !$0.isEmpty || $0.isStopped }) { continue }
      loop.sleep()
    }
  }
}
#endif
