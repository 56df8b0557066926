internal import ByteStream
internal import HTTP2

/// What a connection knows, guarded by its lock: socket, session and streams.
final class ConnectionCore {
  struct Stream {
    let handler: any StreamHandler
    var isTouched = false
    var hasSent = false
    /// Bytes that came and were not given back, for when the stream closes before that.
    var debt = 0
  }

  let session: HTTP2Session
  let socket: ByteStream
  let role: HTTP2Session.Role
  private(set) var streams: [Int32: Stream] = [:]
  private var touched: [Int32] = []
  private var writers: [Int32] = []
  private var output: [UInt8] = []
  private(set) var isClosed = false
  private(set) var isDraining = false
  private(set) var isReady = false
  private var isProved = false
  private var lastGoodStream = Int32.max
  private var goAwayText = ""
  private var beginning: [UInt8] = []
  private(set) var lastSign: ContinuousClock.Instant
  var pingSentAt: ContinuousClock.Instant?
  private(set) var notices: [ConnectionNotice] = []
  /// Set for the time of a read, in which a server's streams are accepted.
  var accept: (([HTTP2Header], Int32) -> any StreamHandler)?

  init(
    socket: sending ByteStream,
    role: HTTP2Session.Role,
    configuration: HTTP2Configuration,
    now: ContinuousClock.Instant
  ) throws(HTTP2Error) {
    session = try HTTP2Session(role, configuration: configuration)
    self.socket = socket
    self.role = role
    lastSign = now
    session.handler = self
  }

  func add(_ handler: any StreamHandler, stream: Int32) {
    streams[stream] = Stream(handler: handler)
  }

  func takeNotices() -> [ConnectionNotice] {
    defer { notices = [] }
    return notices
  }

  /// Reads until nothing is left, or for so long that others must have their turn.
  func read(now: ContinuousClock.Instant) {
    guard !isClosed else { return }
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
      do {
        var rounds = 0
        while rounds < 8 || socket.hasBufferedInput {
          rounds += 1
          switch try socket.read(into: buffer) {
          case .bytes(let count):
            lastSign = now
            pingSentAt = nil
            try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), now: now)
            if count < buffer.count, !socket.hasBufferedInput { return }
          case .wouldBlock: return
          case .end: return fail(ByteStreamError(.network, "The peer closed the connection."))
          }
        }
      } catch let error as ByteStreamError {
        fail(error)
      } catch let error as HTTP2Error {
        fail(ByteStreamError(.network, error.message))
      } catch {
        fail(ByteStreamError(.network, "The connection broke."))
      }
    }
  }

  private func take(_ bytes: UnsafeRawBufferPointer, now: ContinuousClock.Instant) throws {
    if !isReady, role == .client {
      // An HTTP/1.1 server answers the preface in its own language: say so.
      beginning.append(contentsOf: bytes.prefix(5))
      if beginning.starts(with: "HTTP/".utf8) {
        throw ByteStreamError(.network, "The server speaks HTTP/1, not HTTP/2.")
      }
    }
    try session.receive(bytes, now: now)
  }

  /// Wakes who waits for what was read, writes what there is to write, and closes when all is said.
  ///
  /// Called before the lock is released, whatever was done under it.
  func settle() {
    guard !isClosed else { return }
    for stream in touched where streams[stream]?.isTouched == true {
      streams[stream]?.isTouched = false
      if let credit = streams[stream]?.handler.settle() { giveBack(credit, stream: stream) }
    }
    touched.removeAll(keepingCapacity: true)
    do {
      try write()
    } catch let error as ByteStreamError {
      return fail(error)
    } catch let error as HTTP2Error {
      return fail(ByteStreamError(.network, error.message))
    } catch {
      return fail(ByteStreamError(.network, "The connection broke."))
    }
    for stream in writers { reportWritten(stream) }
    writers.removeAll(keepingCapacity: true)
    if session.isFinished, !socket.hasPendingOutput {
      fail(ByteStreamError(.network, goAwayText.isEmpty ? "HTTP/2 ended." : goAwayText))
    }
  }

  func giveBack(_ count: Int, stream: Int32) {
    guard count > 0, let debt = streams[stream]?.debt else { return }
    streams[stream]?.debt = debt - count
    session.consume(count, stream: stream)
  }

  /// Marks a stream whose outbound bytes changed.
  func touchOutput(_ stream: Int32) {
    guard streams[stream]?.hasSent == false else { return }
    streams[stream]?.hasSent = true
    writers.append(stream)
  }

  private func write() throws {
    while !socket.hasPendingOutput, session.hasOutput {
      output.removeAll(keepingCapacity: true)
      try session.takeOutput(into: &output, limit: 1 << 16)
      if output.isEmpty { break }
      try output.withUnsafeBytes { try socket.write($0) }
    }
  }

  private func reportWritten(_ stream: Int32) {
    guard streams[stream]?.hasSent == true else { return }
    streams[stream]?.hasSent = false
    streams[stream]?.handler.wrote(pending: session.pending(stream: stream))
  }

  /// Ends the connection and every stream on it.
  func fail(_ error: ByteStreamError) {
    guard !isClosed else { return }
    isClosed = true
    let open = streams.sorted { $0.key < $1.key }
    streams = [:]
    touched = []
    writers = []
    for (stream, entry) in open {
      entry.handler.closed(
        stream > lastGoodStream ? .unprocessed(goAwayText) : .connectionLost(error.message)
      )
    }
    notices.append(.closed(error))
  }
}

extension ConnectionCore: HTTP2Handler {
  func received(
    _ headers: [HTTP2Header],
    kind: HTTP2HeadersKind,
    endStream: Bool,
    stream: Int32
  ) {
    if kind == .request, let handler = accept?(headers, stream) {
      add(handler, stream: stream)
      return
    }
    if kind == .response, !isProved {
      isProved = true
      notices.append(.proved)
    }
    streams[stream]?.handler.received(headers, kind: kind, endStream: endStream)
    touch(stream)
  }

  func received(_ data: UnsafeRawBufferPointer, stream: Int32) {
    guard streams[stream] != nil else { return session.consume(data.count, stream: stream) }
    streams[stream]?.debt += data.count
    streams[stream]?.handler.received(data)
    touch(stream)
  }

  func ended(stream: Int32) {
    streams[stream]?.handler.ended()
    touch(stream)
  }

  func closed(stream: Int32, code: HTTP2ErrorCode, remotely: Bool) {
    guard let entry = streams.removeValue(forKey: stream) else { return }
    // nghttp2 does not give the connection's window back for a stream that is gone.
    session.consumeConnection(entry.debt)
    _ = entry.handler.settle()
    entry.handler.closed(closure(stream, code, remotely: remotely))
  }

  func sent(_ count: Int, stream: Int32) { touchOutput(stream) }

  func receivedGoAway(lastStream: Int32, code: HTTP2ErrorCode, debugData: [UInt8]) {
    lastGoodStream = min(lastGoodStream, lastStream)
    isDraining = true
    let text = String(decoding: debugData.prefix(100), as: UTF8.self)
    goAwayText = "The server said goodbye with \(code)\(text.isEmpty ? "" : " (\(text))")."
    notices.append(.draining(code, debugData: debugData))
  }

  func receivedSettings() {
    guard !isReady else { return }
    isReady = true
    beginning = []
    notices.append(.ready)
  }

  func receivedPingAnswer() {}

  private func touch(_ stream: Int32) {
    guard streams[stream]?.isTouched == false else { return }
    streams[stream]?.isTouched = true
    touched.append(stream)
  }

  private func closure(
    _ stream: Int32,
    _ code: HTTP2ErrorCode,
    remotely: Bool
  ) -> StreamClosure {
    if code == .refusedStream, role == .client {
      let text = "The server refused the stream before looking at it."
      return .unprocessed(stream > lastGoodStream ? goAwayText : text)
    }
    if code == .noError, !remotely { return .finished }
    return .reset(code, remotely: remotely)
  }
}
