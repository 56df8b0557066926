/// Calls to one server, over one connection that is made when it is needed and kept.
///
/// ```swift
/// let channel = GRPCChannel(to: try GRPCEndpoint("https://realtime.example"), tokens: session)
/// let answer = try await channel.unary("/echo.Echo/Say", message: bytes)
/// ```
///
/// The connection is closed when the channel and its calls are gone.
///
/// Messages are raw bytes. A call is sent again only when the server never looked at it, and once
/// more with a new token after UNAUTHENTICATED, unless a message of its answer was delivered.
public final class GRPCChannel: Sendable {
  private let core: ChannelCore
  private let provider: (any TokenProvider)?

  /// A channel; nothing is connected before the first call.
  ///
  /// - Parameters:
  ///   - endpoint: where to.
  ///   - configuration: limits and times.
  ///   - tokens: asked at every call for its bearer token; nil sends none.
  ///   - clock: for the pauses between attempts to connect.
  public init(
    to endpoint: GRPCEndpoint,
    configuration: GRPCChannelConfiguration = .init(),
    tokens: (any TokenProvider)? = nil,
    clock: any GRPCClock = SystemGRPCClock()
  ) {
    core = ChannelCore(endpoint: endpoint, configuration: configuration, clock: clock)
    provider = tokens
  }

  deinit { shutDown() }

  /// What the channel is doing now.
  public var state: GRPCChannelState { core.broadcast.current }

  /// The present state, then every change, until the channel is shut down.
  public func states() -> AsyncStream<GRPCChannelState> { core.broadcast.states() }

  /// The thread that reads the connection, for tasks that make many short calls one after another.
  ///
  /// A task that prefers it is resumed by an answer without a change of thread, which is most of
  /// what a call costs here:
  ///
  /// ```swift
  /// await withTaskExecutorPreference(channel.executor) {
  ///   for item in items { try await channel.unary(path, message: item) }
  /// }
  /// ```
  ///
  /// Such a task must never block, nor compute for long: every call of the channel waits meanwhile.
  /// It holds the thread, not the channel; after ``shutDown()`` it goes on in Swift's own pool.
  public var executor: any TaskExecutor { core.loop }

  /// Calls `hook` with the present state and every change, in order, as it happens.
  package func observeState(_ hook: @escaping @Sendable (GRPCChannelState) -> Void) {
    core.broadcast.observe(hook)
  }

  /// One message out, one in.
  ///
  /// - Parameters:
  ///   - path: `/package.Service/Method`.
  ///   - message: the bytes of the request.
  ///   - options: deadline, metadata and more.
  /// - Returns: the answer of a call that ended with OK.
  /// - Throws: ``GRPCError`` for every other end.
  public func unary(
    _ path: String,
    message: [UInt8],
    options: GRPCCallOptions = .init()
  ) async throws(GRPCError) -> GRPCResponse {
    let call = try await serverStreaming(path, message: message, options: options)
    guard let answer = try await call.next() else {
      throw GRPCError(GRPCStatus(.internalError, "The answer has no message."))
    }
    guard try await call.next() == nil else {
      call.cancel()
      throw GRPCError(GRPCStatus(.internalError, "The answer has more than one message."))
    }
    return GRPCResponse(message: answer, metadata: call.metadata, trailers: call.trailers)
  }

  /// One message out, any number in by ``GRPCCall/next()``.
  ///
  /// - Parameters:
  ///   - path: `/package.Service/Method`.
  ///   - message: the bytes of the request.
  ///   - options: deadline, metadata and more.
  /// - Returns: the call, whose request is on its way.
  /// - Throws: ``GRPCError`` when it could not be sent.
  public func serverStreaming(
    _ path: String,
    message: [UInt8],
    options: GRPCCallOptions = .init()
  ) async throws(GRPCError) -> GRPCCall {
    let call = makeCall(path, options)
    try await call.start(message)
    return call
  }

  /// Any number out by ``GRPCCall/send(_:)``, any number in by ``GRPCCall/next()``: serves client
  /// streaming too.
  ///
  /// - Parameters:
  ///   - path: `/package.Service/Method`.
  ///   - options: deadline, metadata and more.
  /// - Returns: the call, whose headers are on their way.
  /// - Throws: ``GRPCError`` when it could not be begun.
  public func streaming(
    _ path: String,
    options: GRPCCallOptions = .init()
  ) async throws(GRPCError) -> GRPCCall {
    let call = makeCall(path, options)
    try await call.start(nil)
    return call
  }

  /// To be called when the device has another network: the connection is made anew at once, and no
  /// pause is waited out.
  ///
  /// Calls in flight end with UNAVAILABLE.
  public func networkDidChange() { core.networkDidChange() }

  /// To be called when the app is about to be suspended: no ping goes out until ``didResume()``.
  public func willSuspend() { core.willSuspend() }

  /// To be called when the app runs again: no pause is waited out, and the present connection is
  /// asked for a sign of life before its next use.
  ///
  /// With calls open that is at once; those of a connection that does not answer within
  /// ``GRPCChannelConfiguration/resumeTimeout`` end with UNAVAILABLE.
  public func didResume() { core.didResume() }

  /// Ends every call and closes the connection; the channel cannot be used any more.
  public func shutDown() { core.shutDown() }

  private func makeCall(_ path: String, _ options: GRPCCallOptions) -> GRPCCall {
    GRPCCall(
      core: core,
      request: ClientRequest(
        path: path,
        endpoint: core.endpoint,
        userAgent: core.configuration.userAgent,
        options: options
      ),
      provider: provider,
      channel: self
    )
  }
}
