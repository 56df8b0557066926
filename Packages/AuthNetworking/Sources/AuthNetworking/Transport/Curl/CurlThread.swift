#if canImport(CCurl)
internal import CCurl
internal import Synchronization

/// The thread that owns libcurl's multi handle and all transfers on it.
///
/// Others only leave messages in its inbox and wake it up; nothing but the thread itself touches
/// a handle, apart from `curl_multi_wakeup`, which is made for that.
final class CurlThread: Sendable {
  private let configuration: CurlConfiguration
  private let inbox = Mutex(Inbox())

  private struct Inbox {
    var submitted: [CurlExchange] = []
    var resumed: [CurlLoop.Resumption] = []
    var hasCancelled = false
    var isStopped = false
    /// To wake the thread with; nil while it does not run.
    var multi: MultiHandle?

    /// Whether the thread has taken everything out; if not, it has been woken already.
    var isEmpty: Bool { submitted.isEmpty && resumed.isEmpty && !hasCancelled }
  }

  /// The multi handle on its way to the thread that uses it.
  ///
  /// `@unchecked` holds because the handle is used by that thread only, but for
  /// `curl_multi_wakeup`, which libcurl allows from any thread. The thread closes the handle only
  /// after `stop()`, which the transport calls when nobody can send or cancel any more.
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
      guard let multi = inbox.multi else { return (false, MultiHandle?.none) }
      let isFirst = inbox.isEmpty
      inbox.submitted.append(exchange)
      return (true, isFirst ? multi : nil)
    }
    wake(sleeper)
    if !hasThread {
      exchange.answer(
        .failure(
          TransportError(
            .network,
            "libcurl could not be started: too many files are open, or there is no memory"
          )
        )
      )
    }
  }

  /// Ends an exchange: its caller at once, its transfer as soon as the thread comes round.
  func cancel(_ exchange: CurlExchange) {
    exchange.answer(.failure(.cancelledByCaller))
    let sleeper = inbox.withLock { inbox in
      let isFirst = inbox.isEmpty
      inbox.hasCancelled = true
      return isFirst ? inbox.multi : nil
    }
    wake(sleeper)
  }

  /// Goes on with a transfer that had nothing to send.
  ///
  /// Who calls this holds no transport, so the thread is woken with the lock held: as long as
  /// there is a handle in the inbox it is open.
  func resume(_ resumption: CurlLoop.Resumption) {
    inbox.withLock { inbox in
      guard let multi = inbox.multi else { return }
      if inbox.isEmpty { curl_multi_wakeup(multi.pointer) }
      inbox.resumed.append(resumption)
    }
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
    while true {
      let messages = inbox.withLock { inbox in
        defer {
          inbox.submitted = []
          inbox.resumed = []
          inbox.hasCancelled = false
          if inbox.isStopped { inbox.multi = nil }
        }
        return inbox
      }
      if messages.isStopped {
        for exchange in messages.submitted { exchange.answer(.failure(.cancelledByCaller)) }
        loop.close()
        return
      }
      if messages.hasCancelled { loop.abandonUnwanted() }
      for resumption in messages.resumed { loop.resume(resumption) }
      for exchange in messages.submitted { loop.begin(exchange) }
      loop.advance()
    }
  }
}
#endif
