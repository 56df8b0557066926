internal import HTTP2
internal import Synchronization

/// One call at the server: what its handler reads from and writes to.
public final class GRPCServerCall: Sendable {
  /// The method, as `/package.Service/Method`.
  public let path: String

  /// The `:authority` that the client meant.
  public let authority: String

  /// The client's metadata, its `authorization` included.
  public let metadata: GRPCMetadata

  /// When the client gives up; nil when it never does.
  public let deadline: ContinuousClock.Instant?

  let stream: Int32
  let connection: Connection
  let state: Mutex<ServerCallState>
  private let requestCompression: GRPCCompression
  private let acceptsGzip: Bool
  private let configuration: GRPCServerConfiguration

  init(
    _ request: ServerRequest,
    stream: Int32,
    connection: Connection,
    configuration: GRPCServerConfiguration,
    now: ContinuousClock.Instant
  ) {
    path = request.path
    authority = request.authority
    metadata = request.metadata
    deadline = request.timeout.map { now + $0 }
    requestCompression = request.compression
    acceptsGzip = request.acceptsGzip
    self.stream = stream
    self.connection = connection
    self.configuration = configuration
    state = Mutex(
      ServerCallState(
        inbound: InboundMessages(
          limit: configuration.maximumMessageBytes,
          window: Int(configuration.http2.streamWindow)
        )
      )
    )
  }

  /// The next message of the client, or nil when it has sent its last.
  ///
  /// - Throws: ``GRPCStatus`` when the call is over, or the client broke the protocol.
  public func next() async throws(GRPCStatus) -> [UInt8]? {
    while true {
      let (frame, credit, isOver) = state.withLock { state in
        let frame = state.closure == nil ? state.inbound.take() : nil
        let isOver = state.closure != nil || state.requestEnded
        return (frame, state.inbound.takeCredit(), isOver)
      }
      if credit > 0 { connection.giveBack(credit, stream: stream) }
      if let frame {
        return try requestCompression.message(frame, limit: configuration.maximumMessageBytes)
      }
      if isOver {
        if let closure = state.withLock({ $0.closure }) { throw closure }
        return nil
      }
      try await waitForInput()
    }
  }

  /// Sends one message; suspends while the client is slower than its handler.
  ///
  /// - Throws: ``GRPCStatus`` when the call is over.
  public func send(_ message: [UInt8]) async throws(GRPCStatus) {
    let compression = state.withLock { $0.compression }
    let body = try compression.frame(message)
    connection.send(OutboundPart(headers: try beginAnswer(), body: body), stream: stream)
    try await waitForRoom()
  }

  /// Sends the metadata of the answer now, rather than with the first message.
  ///
  /// - Throws: ``GRPCStatus`` when the call is over.
  public func sendMetadata() throws(GRPCStatus) {
    if let headers = try beginAnswer() {
      connection.send(OutboundPart(headers: headers), stream: stream)
    }
  }

  /// Keeps the only message of the answer, to go out with the status in one write.
  func sendLast(_ message: [UInt8]) throws(GRPCStatus) {
    let frame = try state.withLock { $0.compression }.frame(message)
    state.withLock { $0.lastFrame = frame }
  }

  /// The headers that begin the answer; nil when it has begun.
  func beginAnswer() throws(GRPCStatus) -> [HTTP2Header]? {
    let (headers, closure) = state.withLock { state -> ([HTTP2Header]?, GRPCStatus?) in
      guard state.closure == nil else { return (nil, state.closure) }
      guard state.answer == .notBegun else { return (nil, nil) }
      state.answer = .begun
      return (ServerAnswer.headers(state.metadata, state.compression), nil)
    }
    if let closure { throw closure }
    return headers
  }

  /// Sets the metadata of the answer; too late once a message was sent.
  public func setMetadata(_ metadata: GRPCMetadata) {
    state.withLock { $0.metadata = metadata }
  }

  /// Sets the metadata that goes with the status.
  public func setTrailers(_ trailers: GRPCMetadata) {
    state.withLock { $0.trailers = trailers }
  }

  /// Compresses what follows, if the client can read it and no message was sent yet.
  public func setCompression(_ compression: GRPCCompression) {
    state.withLock { state in
      guard state.answer == .notBegun, acceptsGzip || compression == .identity else { return }
      state.compression = compression
    }
  }

  /// Whether the call is over: reset, past its deadline, or the connection lost.
  public var isCancelled: Bool { state.withLock { $0.closure != nil } }

  /// The one message of a unary or server-streaming request.
  func onlyMessage() async throws(GRPCStatus) -> [UInt8] {
    guard let message = try await next() else {
      throw GRPCStatus(.unimplemented, "The request has no message.")
    }
    guard try await next() == nil else {
      throw GRPCStatus(.unimplemented, "The request has more than one message.")
    }
    return message
  }

  private func waitForInput() async throws(GRPCStatus) {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          guard state.closure == nil, state.inbound.isEmpty, !state.requestEnded,
            !Task.isCancelled
          else { return false }
          state.reader = continuation
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.takeReader() }?.resume()
    }
    if Task.isCancelled { throw state.withLock { $0.closure } ?? Self.cancelled }
  }

  private func waitForRoom() async throws(GRPCStatus) {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          guard state.closure == nil, state.pending > configuration.sendBuffer, !Task.isCancelled
          else { return false }
          state.writers.append(continuation)
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      for writer in state.withLock({ $0.takeWriters() }) { writer.resume() }
    }
    if let closure = state.withLock({ $0.closure }) { throw closure }
    if Task.isCancelled { throw Self.cancelled }
  }

  private static let cancelled = GRPCStatus(.cancelled, "The call was cancelled.")
}
