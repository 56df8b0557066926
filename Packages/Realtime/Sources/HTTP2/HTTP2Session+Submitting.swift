internal import CNghttp2

extension HTTP2Session {
  /// Opens a stream with a request, whose body follows with ``send(_:stream:)``.
  ///
  /// A request beyond the peer's MAX_CONCURRENT_STREAMS waits in the session until it may go.
  ///
  /// - Returns: the stream's id.
  /// - Throws: ``HTTP2Error`` of kind `stream` when no stream can be opened any more.
  public func submitRequest(_ headers: [HTTP2Header]) throws(HTTP2Error) -> Int32 {
    var provider = bodyProvider()
    let stream = withFields(headers) { fields, count in
      nghttp2_submit_request(session, nil, fields, count, &provider, nil)
    }
    guard stream > 0 else { throw .stream(stream) }
    bodies[stream] = OutboundBody()
    unsent.insert(stream)
    return stream
  }

  /// Whether the headers of a request have been given out; one that waits for the peer's
  /// MAX_CONCURRENT_STREAMS has not.
  public func wasSent(_ stream: Int32) -> Bool { !unsent.contains(stream) }

  /// Answers a request; the body follows with ``send(_:stream:)`` until the end.
  ///
  /// - Throws: ``HTTP2Error`` of kind `stream` when the stream is gone.
  public func submitResponse(_ headers: [HTTP2Header], stream: Int32) throws(HTTP2Error) {
    var provider = bodyProvider()
    bodies[stream] = OutboundBody()
    let status = withFields(headers) { fields, count in
      nghttp2_submit_response(session, stream, fields, count, &provider)
    }
    guard status == 0 else {
      bodies[stream] = nil
      throw .stream(status)
    }
  }

  /// Answers a request with header fields only, and ends the stream.
  ///
  /// - Throws: ``HTTP2Error`` of kind `stream` when the stream is gone.
  public func submitResponseOnly(_ headers: [HTTP2Header], stream: Int32) throws(HTTP2Error) {
    let status = withFields(headers) { fields, count in
      nghttp2_submit_response(session, stream, fields, count, nil)
    }
    guard status == 0 else { throw .stream(status) }
  }

  /// Queues bytes of a body.
  ///
  /// They are kept until the peer's window has room: look at ``pending(stream:)`` or
  /// ``HTTP2Handler/sent(_:stream:)`` before queueing more.
  public func send(_ bytes: [UInt8], stream: Int32) {
    guard bodies[stream] != nil else { return }
    bodies[stream]?.append(bytes)
    resume(stream)
  }

  /// Ends this side of a stream after the queued bytes, with trailers if there are any.
  public func end(stream: Int32, trailers: [HTTP2Header]? = nil) {
    guard bodies[stream] != nil else { return }
    bodies[stream]?.end(trailers: trailers)
    resume(stream)
  }

  /// The bytes of a stream that were queued and have not left.
  public func pending(stream: Int32) -> Int { bodies[stream]?.count ?? 0 }

  /// Ends a stream at once, both ways.
  public func reset(stream: Int32, code: HTTP2ErrorCode) {
    bodies[stream] = nil
    nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code.rawValue)
  }

  /// Asks the peer for a sign of life.
  ///
  /// - Parameter payload: comes back with the answer, ``HTTP2Handler/receivedPingAnswer(_:)``.
  public func ping(_ payload: UInt64) {
    _ = withUnsafeBytes(of: payload.bigEndian) { bytes in
      nghttp2_submit_ping(
        session,
        UInt8(NGHTTP2_FLAG_NONE.rawValue),
        bytes.bindMemory(to: UInt8.self).baseAddress
      )
    }
  }

  /// Says that this side is about to stop taking streams, while those in flight still count.
  public func announceGoAway() { nghttp2_submit_shutdown_notice(session) }

  /// Says that streams above the last one that was taken are not looked at.
  public func goAway(code: HTTP2ErrorCode = .noError) {
    let last = nghttp2_session_get_last_proc_stream_id(session)
    nghttp2_submit_goaway(
      session,
      UInt8(NGHTTP2_FLAG_NONE.rawValue),
      last,
      code.rawValue,
      nil,
      0
    )
  }

  private func resume(_ stream: Int32) {
    guard bodies[stream]?.isDeferred == true else { return }
    bodies[stream]?.isDeferred = false
    nghttp2_session_resume_data(session, stream)
  }

  private func bodyProvider() -> nghttp2_data_provider {
    nghttp2_data_provider(source: nghttp2_data_source(), read_callback: readBody)
  }

  /// Lends the fields in nghttp2's form; it copies them before it returns.
  func withFields<Result>(
    _ headers: [HTTP2Header],
    _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result
  ) -> Result {
    var text: [UInt8] = []
    var bounds: [(name: Int, value: Int)] = []
    for header in headers {
      text.append(contentsOf: header.name.utf8)
      text.append(contentsOf: header.value.utf8)
      bounds.append((header.name.utf8.count, header.value.utf8.count))
    }
    return text.withUnsafeMutableBufferPointer { text in
      var position = text.baseAddress
      let fields = bounds.map { bound in
        let name = position
        let value = position.map { $0 + bound.name }
        position = value.map { $0 + bound.value }
        return nghttp2_nv(
          name: name,
          value: value,
          namelen: bound.name,
          valuelen: bound.value,
          flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)
        )
      }
      return fields.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
    }
  }
}

extension HTTP2Error {
  static func stream(_ status: Int32) -> HTTP2Error {
    let reason = nghttp2_strerror(status).map { String(cString: $0) } ?? "error \(status)"
    return HTTP2Error(.stream, "The HTTP/2 stream cannot be used: \(reason).")
  }
}
