internal import CNghttp2

// The callbacks are functions of this file, not closures: a closure that is written where the
// main actor is inferred would trap on any other thread.

extension HTTP2Session {
  func setCallbacks(_ callbacks: OpaquePointer?) {
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, beganHeaders)
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, beganFrame)
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, sentFrame)
    nghttp2_session_callbacks_set_on_header_callback(callbacks, receivedHeader)
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, receivedFrame)
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, receivedData)
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, closedStream)
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, couldNotSend)
  }

  fileprivate func received(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
    let header = frame.pointee.hd
    let stream = header.stream_id
    let flags = UInt32(header.flags)
    let isAck = flags & NGHTTP2_FLAG_ACK.rawValue != 0
    let endsStream = flags & NGHTTP2_FLAG_END_STREAM.rawValue != 0
    switch nghttp2_frame_type(rawValue: UInt32(header.type)) {
    case NGHTTP2_HEADERS:
      if (incoming.status ?? 200) < 200, !admitControlFrame() { return flooded }
      receivedHeaders(frame.pointee.headers.cat, endsStream, stream)
      if endsStream { receiver?.ended(stream: stream) }
    case NGHTTP2_DATA:
      // Padding alone is as empty as nothing.
      let isEmpty = header.length == frame.pointee.data.padlen
      if isEmpty, !endsStream, !admitControlFrame() { return flooded }
      if endsStream { receiver?.ended(stream: stream) }
    case NGHTTP2_SETTINGS:
      if isAck { break }
      guard admitControlFrame() else { return flooded }
      receiver?.receivedSettings()
    case NGHTTP2_PING:
      if isAck {
        let bytes = frame.pointee.ping.opaque_data
        receiver?.receivedPingAnswer(
          withUnsafeBytes(of: bytes) { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
        )
      } else if !admitControlFrame() {
        return flooded
      }
    case NGHTTP2_RST_STREAM:
      // A client's own requests bound how often they can be reset.
      let isOwn = role == .client && bodies[stream] != nil
      guard isOwn || admitControlFrame() else { return flooded }
      resetByPeer.insert(stream)
    case NGHTTP2_GOAWAY:
      guard admitControlFrame() else { return flooded }
      let goAway = frame.pointee.goaway
      let debug = UnsafeBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len)
      receiver?.receivedGoAway(
        lastStream: goAway.last_stream_id,
        code: HTTP2ErrorCode(rawValue: goAway.error_code),
        debugData: Array(debug.prefix(1024))
      )
    case NGHTTP2_PRIORITY:
      guard admitControlFrame() else { return flooded }
    default: break
    }
    return 0
  }

  private func receivedHeaders(
    _ category: nghttp2_headers_category,
    _ endsStream: Bool,
    _ stream: Int32
  ) {
    let kind: HTTP2HeadersKind
    if category == NGHTTP2_HCAT_REQUEST {
      kind = .request
    } else if let status = incoming.status {
      kind = status < 200 ? .informational : .response
    } else {
      kind = .trailers
    }
    receiver?.received(incoming.fields, kind: kind, endStream: endsStream, stream: stream)
    incoming.begin()
  }

  /// Counts the pieces of a list of header fields, of which nghttp2 before 1.61 takes any number.
  fileprivate func began(_ header: UnsafePointer<nghttp2_frame_hd>) -> Int32 {
    guard UInt32(header.pointee.type) == NGHTTP2_CONTINUATION.rawValue else {
      continuations = 0
      return 0
    }
    continuations += 1
    if continuations <= configuration.maximumContinuations { return 0 }
    failure = HTTP2Error(.flood, "Too many CONTINUATION frames came for one HEADERS frame.")
    return flooded
  }

  fileprivate func refusedHeaders(_ stream: Int32) { receiver?.refusedHeaders(stream: stream) }

  private func admitControlFrame() -> Bool {
    if floodGuard.admit(at: now) { return true }
    failure = .flood
    return false
  }

  private var flooded: Int32 { Int32(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }

  fileprivate func closed(_ stream: Int32, _ code: UInt32) {
    bodies[stream] = nil
    let remotely = resetByPeer.remove(stream) != nil
    handler?.closed(
      stream: stream,
      code: HTTP2ErrorCode(rawValue: code),
      remotely: remotely
    )
    unsent.remove(stream)
  }

  fileprivate func read(
    _ stream: Int32,
    into target: UnsafeMutableRawBufferPointer,
    _ flags: inout UInt32
  ) -> Int {
    guard var body = bodies[stream] else {
      flags |= NGHTTP2_DATA_FLAG_EOF.rawValue
      return 0
    }
    // Taken out while it is changed, or it would be copied.
    bodies[stream] = nil
    defer { bodies[stream] = body }
    let count = body.take(into: target)
    if count > 0 {
      floodGuard.dataPassed()
      handler?.sent(count, stream: stream)
    }
    if body.count > 0 { return count }
    if body.isEnded {
      flags |= NGHTTP2_DATA_FLAG_EOF.rawValue
      if let trailers = body.trailers {
        flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
        _ = withFields(trailers) { nghttp2_submit_trailer(session, stream, $0, $1) }
      }
      return count
    }
    if count == 0 {
      body.isDeferred = true
      return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    return count
  }
}

private func sessionOf(_ context: UnsafeMutableRawPointer?) -> HTTP2Session? {
  context.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
}

private func beganHeaders(
  _: OpaquePointer?,
  frame: UnsafePointer<nghttp2_frame>?,
  context: UnsafeMutableRawPointer?
) -> Int32 {
  sessionOf(context)?.incoming.begin()
  return 0
}

private func beganFrame(
  _: OpaquePointer?,
  header: UnsafePointer<nghttp2_frame_hd>?,
  context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let session = sessionOf(context), let header else { return 0 }
  return session.began(header)
}

private func sentFrame(
  _: OpaquePointer?,
  frame: UnsafePointer<nghttp2_frame>?,
  context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let frame else { return 0 }
  switch nghttp2_frame_type(rawValue: UInt32(frame.pointee.hd.type)) {
  case NGHTTP2_HEADERS: sessionOf(context)?.unsent.remove(frame.pointee.hd.stream_id)
  case NGHTTP2_GOAWAY:
    let code = HTTP2ErrorCode(rawValue: frame.pointee.goaway.error_code)
    if code != .noError { sessionOf(context)?.objection = code }
  default: break
  }
  return 0
}

private func receivedHeader(
  _: OpaquePointer?,
  frame: UnsafePointer<nghttp2_frame>?,
  name: UnsafePointer<UInt8>?,
  nameLength: Int,
  value: UnsafePointer<UInt8>?,
  valueLength: Int,
  flags: UInt8,
  context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let session = sessionOf(context) else { return 0 }
  let fits = session.incoming.add(
    UnsafeBufferPointer(start: name, count: nameLength),
    UnsafeBufferPointer(start: value, count: valueLength),
    limit: session.configuration.maximumHeaderListSize
  )
  if fits { return 0 }
  session.refusedHeaders(frame?.pointee.hd.stream_id ?? 0)
  return Int32(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
}

private func receivedFrame(
  _: OpaquePointer?,
  frame: UnsafePointer<nghttp2_frame>?,
  context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let session = sessionOf(context), let frame else { return 0 }
  return session.received(frame)
}

private func receivedData(
  _: OpaquePointer?,
  flags: UInt8,
  stream: Int32,
  data: UnsafePointer<UInt8>?,
  length: Int,
  context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let session = sessionOf(context) else { return 0 }
  session.floodGuard.dataPassed()
  session.receiver?.received(UnsafeRawBufferPointer(start: data, count: length), stream: stream)
  return 0
}

private func closedStream(
  _: OpaquePointer?,
  stream: Int32,
  code: UInt32,
  context: UnsafeMutableRawPointer?
) -> Int32 {
  sessionOf(context)?.closed(stream, code)
  return 0
}

/// A request that was queued and cannot be sent any more (GOAWAY came): nobody saw it.
private func couldNotSend(
  _: OpaquePointer?,
  frame: UnsafePointer<nghttp2_frame>?,
  error: Int32,
  context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let frame, UInt32(frame.pointee.hd.type) == NGHTTP2_HEADERS.rawValue,
    frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
  else { return 0 }
  sessionOf(context)?.closed(frame.pointee.hd.stream_id, HTTP2ErrorCode.refusedStream.rawValue)
  return 0
}

func readBody(
  _: OpaquePointer?,
  stream: Int32,
  buffer: UnsafeMutablePointer<UInt8>?,
  length: Int,
  flags: UnsafeMutablePointer<UInt32>?,
  source: UnsafeMutablePointer<nghttp2_data_source>?,
  context: UnsafeMutableRawPointer?
) -> Int {
  guard let session = sessionOf(context), let flags else {
    return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
  }
  let target = UnsafeMutableRawBufferPointer(start: buffer, count: length)
  return session.read(stream, into: target, &flags.pointee)
}
