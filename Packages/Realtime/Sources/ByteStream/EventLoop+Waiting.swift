extension EventLoop {
  /// The addresses of a host, as ``SocketAddress/resolve(host:port:passive:_:)`` gives them.
  ///
  /// - Throws: ``ByteStreamError`` of kind `timeout` at the deadline, of kind `cancelled` when
  ///   the task is cancelled: a resolver may take minutes, and cannot be stopped.
  func resolve(
    host: String,
    port: Int,
    passive: Bool = false,
    until deadline: ContinuousClock.Instant
  ) async throws(ByteStreamError) -> [SocketAddress] {
    let wait = OneWait<Result<[SocketAddress], ByteStreamError>>()
    SocketAddress.resolve(host: host, port: port, passive: passive) { wait.finish($0) }
    let timer = schedule(at: deadline) {
      wait.finish(
        .failure(ByteStreamError(.timeout, "The name \(host) was not resolved in time."))
      )
    }
    let result = await withTaskCancellationHandler {
      await wait.answer
    } onCancel: {
      wait.finish(.failure(Self.cancelled))
    }
    cancel(timer)
    return try result.get()
  }

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
    let wait = OneWait<ByteStreamError?>()
    let timer = deadline.map { deadline in
      schedule(at: deadline) {
        wait.finish(ByteStreamError(.timeout, "The peer did not answer in time."))
      }
    }
    watch(descriptor, for: interest) { _ in wait.finish(nil) }
    let failure = await withTaskCancellationHandler {
      await wait.answer
    } onCancel: {
      wait.finish(Self.cancelled)
    }
    unwatch(descriptor)
    if let timer { cancel(timer) }
    if let failure { throw failure }
  }

  private static let cancelled = ByteStreamError(
    .cancelled,
    "The connection attempt was cancelled."
  )
}
