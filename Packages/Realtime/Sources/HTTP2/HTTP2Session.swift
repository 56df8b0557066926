internal import CNghttp2

/// HTTP/2 without I/O: bytes in become calls of a handler, and what is submitted becomes bytes out.
///
/// Framing and HPACK are nghttp2's. Flow control is driven by consumption: the peer gets its
/// window back with ``consume(_:stream:)`` only. A session is not `Sendable`; its owner guards it.
public final class HTTP2Session {
  /// Which side of the connection this is.
  public enum Role: Sendable {
    /// The side that opens streams.
    case client

    /// The side that answers them.
    case server
  }

  /// Gets everything that happens.
  ///
  /// Not retained.
  public weak var handler: (any HTTP2Handler)?

  /// The handler while bytes are taken in: a weak reference costs more than a small frame.
  var receiver: (any HTTP2Handler)?
  let role: Role
  let configuration: HTTP2Configuration
  // Set once by `init`; every use is between that and `deinit`.
  var session: OpaquePointer?
  var bodies: [Int32: OutboundBody] = [:]
  var floodGuard: FloodGuard
  var now = ContinuousClock.now
  var incoming = IncomingHeaders()
  var resetByPeer: Set<Int32> = []
  /// What this side ended the connection for, where the peer broke the protocol.
  public internal(set) var objection: HTTP2ErrorCode?
  /// Requests that wait for their turn.
  var unsent: Set<Int32> = []
  /// The CONTINUATION frames of the list of header fields that is being read.
  var continuations = 0
  var failure: HTTP2Error?

  /// A session that has its settings (and, at the client, the preface) ready to be sent.
  ///
  /// - Throws: ``HTTP2Error`` when memory is out or the configuration impossible.
  public init(_ role: Role, configuration: HTTP2Configuration = .init()) throws(HTTP2Error) {
    self.role = role
    self.configuration = configuration
    floodGuard = FloodGuard(
      burst: configuration.controlFrameBurst,
      perSecond: configuration.controlFramesPerSecond
    )
    try open()
    try submitSettings()
  }

  deinit { nghttp2_session_del(session) }

  /// Whether the session has anything left to read or write; when not, close the connection.
  public var isFinished: Bool {
    nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
  }

  /// Whether ``takeOutput(into:limit:)`` would give bytes.
  public var hasOutput: Bool { nghttp2_session_want_write(session) != 0 }

  /// Takes bytes from the peer.
  ///
  /// - Throws: ``HTTP2Error`` of kind `connection` or `flood`: fail every stream and close.
  public func receive(
    _ bytes: UnsafeRawBufferPointer,
    now: ContinuousClock.Instant
  ) throws(HTTP2Error) {
    self.now = now
    receiver = handler
    defer { receiver = nil }
    let taken = nghttp2_session_mem_recv(
      session,
      bytes.bindMemory(to: UInt8.self).baseAddress,
      bytes.count
    )
    if let failure { throw failure }
    // nghttp2 counts the answers that wait to be sent, where the guard counts questions.
    if taken == Int(NGHTTP2_ERR_FLOODED.rawValue) { throw .flood }
    guard taken >= 0 else { throw .connection(Int32(taken)) }
  }

  /// Appends what is to be sent, until about `limit` bytes are in the buffer.
  ///
  /// - Throws: ``HTTP2Error`` of kind `connection` when the session is broken.
  public func takeOutput(into buffer: inout [UInt8], limit: Int) throws(HTTP2Error) {
    while buffer.count < limit {
      var start: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &start)
      guard count >= 0 else { throw .connection(Int32(count)) }
      if count == 0 { return }
      buffer.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
    }
  }

  /// Gives the peer its window back for bytes that were received and are not kept any more.
  public func consume(_ count: Int, stream: Int32) {
    if count == 0 { return }
    nghttp2_session_consume(session, stream, count)
  }

  /// The same for a stream that is closed: only the connection's window is given back.
  public func consumeConnection(_ count: Int) {
    if count == 0 { return }
    nghttp2_session_consume_connection(session, count)
  }

  private func open() throws(HTTP2Error) {
    var callbacks: OpaquePointer?
    var option: OpaquePointer?
    guard nghttp2_session_callbacks_new(&callbacks) == 0, nghttp2_option_new(&option) == 0 else {
      throw HTTP2Error(.connection, "There is no memory for an HTTP/2 session.")
    }
    defer {
      nghttp2_session_callbacks_del(callbacks)
      nghttp2_option_del(option)
    }
    nghttp2_option_set_no_auto_window_update(option, 1)
    nghttp2_option_set_peer_max_concurrent_streams(option, 100)
    setCallbacks(callbacks)
    let context = Unmanaged.passUnretained(self).toOpaque()
    let status =
      switch role {
      case .client: nghttp2_session_client_new2(&session, callbacks, context, option)
      case .server: nghttp2_session_server_new2(&session, callbacks, context, option)
      }
    guard status == 0 else { throw .connection(status) }
  }

  private func submitSettings() throws(HTTP2Error) {
    var settings = [
      entry(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, UInt32(configuration.streamWindow)),
      entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, UInt32(configuration.maximumHeaderListSize)),
    ]
    switch role {
    case .client: settings.append(entry(NGHTTP2_SETTINGS_ENABLE_PUSH, 0))
    case .server:
      let streams = configuration.maximumConcurrentStreams
      settings.append(entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, streams))
    }
    let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
    var status = nghttp2_submit_settings(session, flags, settings, settings.count)
    guard status == 0 else { throw .connection(status) }
    status = nghttp2_session_set_local_window_size(
      session,
      flags,
      0,
      configuration.connectionWindow
    )
    guard status == 0 else { throw .connection(status) }
  }

  private func entry(_ id: nghttp2_settings_id, _ value: UInt32) -> nghttp2_settings_entry {
    nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: value)
  }
}

extension HTTP2Error {
  static let flood = HTTP2Error(.flood, "The peer floods the connection with control frames.")

  static func connection(_ status: Int32) -> HTTP2Error {
    let reason = nghttp2_strerror(status).map { String(cString: $0) } ?? "error \(status)"
    return HTTP2Error(.connection, "HTTP/2 broke: \(reason).")
  }
}
