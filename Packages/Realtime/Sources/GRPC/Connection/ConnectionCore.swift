internal import ByteStream
internal import HTTP2

/// What a connection knows, guarded by its lock: socket, session and streams.
final class ConnectionCore {
  final class Stream {
    let id: Int32
    let handler: any StreamHandler
    var isTouched = false
    var hasSent = false
    /// Bytes that came and were not given back, for when the stream closes before that.
    var debt = 0

    init(_ id: Int32, _ handler: any StreamHandler) {
      self.id = id
      self.handler = handler
    }
  }

  let session: HTTP2Session
  let socket: ByteStream
  let role: HTTP2Session.Role
  private(set) var streams: [Int32: Stream] = [:]
  /// The stream of the last frame, which is mostly that of the next one too.
  private var recent: Stream?
  private var touched: [Stream] = []
  private var writers: [Stream] = []
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 64)
  private var output: [UInt8] = []
  private(set) var isClosed = false
  private(set) var isDraining = false
  private(set) var isReady = false
  private var isProved = false
  private var lastGoodStream = Int32.max
  private var goAwayText = ""
  private var isFaulted = false
  private var beginning: [UInt8] = []
  private var keepalive: KeepaliveMachine
  private var wasBusy = false
  /// Whether the next check may be earlier than the one that is scheduled.
  private var mustSchedule = true
  private var scheduledCheck: ContinuousClock.Instant?
  private var isAnnouncingGoAway = false
  private(set) var notices: [ConnectionNotice] = []
  private var wakes = Wakes()
  private var pacing = ReadPacing()
  /// Set for the time of a read, in which a server's streams are accepted.
  var accept: (([HTTP2Header], Int32) -> any StreamHandler)?

  init(
    socket: sending ByteStream,
    role: HTTP2Session.Role,
    configuration: HTTP2Configuration,
    keepalive: KeepaliveMachine.Limits,
    now: ContinuousClock.Instant
  ) throws(HTTP2Error) {
    session = try HTTP2Session(role, configuration: configuration)
    self.socket = socket
    self.role = role
    self.keepalive = KeepaliveMachine(keepalive, at: now)
    session.handler = self
  }

  deinit { input.deallocate() }

  func add(_ handler: any StreamHandler, stream: Int32) {
    streams[stream] = Stream(stream, handler)
  }

  private func find(_ id: Int32) -> Stream? {
    if let recent, recent.id == id { return recent }
    recent = streams[id]
    return recent
  }

  private func remove(_ id: Int32) -> Stream? {
    if recent?.id == id { recent = nil }
    return streams.removeValue(forKey: id)
  }

  func takeWakes() -> Wakes {
    defer { wakes = Wakes() }
    return wakes
  }

  func takeNotices() -> [ConnectionNotice] {
    defer { notices = [] }
    return notices
  }

  /// Reads until nothing is left, or for so long that others must have their turn.
  ///
  /// - Returns: whether more should gather before the next read.
  @discardableResult
  func read(now: ContinuousClock.Instant) -> Bool {
    guard !isClosed else { return false }
    let count = readAll(now: now)
    return pacing.received(count, at: now) && !isClosed
  }

  private func readAll(now: ContinuousClock.Instant) -> Int {
    var total = 0
    do {
      var rounds = 0
      while rounds < 4 || socket.hasBufferedInput {
        rounds += 1
        switch try socket.read(into: input) {
        case .bytes(let count):
          if keepalive.received(at: now) { mustSchedule = true }
          try take(UnsafeRawBufferPointer(rebasing: input[..<count]), now: now)
          total += count
          if count < input.count, !socket.hasBufferedInput { return total }
        case .wouldBlock: return total
        case .end:
          fail(ByteStreamError(.network, "The peer closed the connection."))
          return total
        }
      }
    } catch let error as ByteStreamError {
      fail(error)
    } catch let error as HTTP2Error {
      fail(ByteStreamError(.network, error.message))
    } catch {
      fail(ByteStreamError(.network, "The connection broke."))
    }
    return total
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

  /// Notes who waits for what was read, writes what there is to write, and closes when all is said.
  ///
  /// Called before the lock is released, whatever was done under it.
  func settle() {
    guard !isClosed else { return }
    noteStreams()
    for stream in touched where streams[stream.id] === stream {
      stream.isTouched = false
      giveBack(stream.handler.settle(&wakes), stream: stream.id)
    }
    touched.removeAll(keepingCapacity: true)
    if let error = writeAll() {
      // What the peer said before it went away still counts: perhaps all answers are there.
      read(now: ContinuousClock.now)
      return fail(error)
    }
    noteStreams()
    for stream in writers { reportWritten(stream) }
    writers.removeAll(keepingCapacity: true)
    if session.isFinished, !socket.hasPendingOutput {
      let objection = session.objection.map { "The peer breaks HTTP/2: \($0)." }
      let text = goAwayText.isEmpty ? objection ?? "HTTP/2 ended." : goAwayText
      fail(ByteStreamError(.network, text))
    }
  }

  /// Ends a stream at once.
  func reset(stream: Int32, code: HTTP2ErrorCode) {
    guard let entry = streams[stream] else { return }
    session.reset(stream: stream, code: code)
    // One that still waits for its turn is told to have ended only when its turn comes.
    guard !session.wasSent(stream) else { return }
    _ = remove(stream)
    entry.handler.closed(.reset(code, remotely: false), &wakes)
  }

  func giveBack(_ count: Int, stream: Int32) {
    guard count > 0, let entry = find(stream) else { return }
    entry.debt -= count
    session.consume(count, stream: stream)
  }

  /// Marks a stream whose outbound bytes changed.
  func touchOutput(_ stream: Int32) {
    pacing.sent()
    guard let entry = find(stream), !entry.hasSent else { return }
    entry.hasSent = true
    writers.append(entry)
  }

  private func writeAll() -> ByteStreamError? {
    do {
      try write()
      return nil
    } catch let error as ByteStreamError {
      return error
    } catch let error as HTTP2Error {
      return ByteStreamError(.network, error.message)
    } catch {
      return ByteStreamError(.network, "The connection broke.")
    }
  }

  private func write() throws {
    while !socket.hasPendingOutput, session.hasOutput {
      output.removeAll(keepingCapacity: true)
      try session.takeOutput(into: &output, limit: 1 << 16)
      if output.isEmpty { break }
      try output.withUnsafeBytes { try socket.write($0) }
    }
  }

  private func reportWritten(_ stream: Stream) {
    guard streams[stream.id] === stream else { return }
    stream.hasSent = false
    stream.handler.wrote(pending: session.pending(stream: stream.id), &wakes)
  }

  /// Ends the connection and every stream on it.
  func fail(_ error: ByteStreamError) {
    guard !isClosed else { return }
    isClosed = true
    // A goodbye that named a fault says why, where the hang-up that follows does not.
    let farewell = isFaulted ? "\(error.message) \(goAwayText)" : error.message
    let open = streams.sorted { $0.key < $1.key }
    streams = [:]
    recent = nil
    touched = []
    writers = []
    for (stream, entry) in open {
      let wasSent = session.wasSent(stream)
      let isUnprocessed = stream > lastGoodStream || !wasSent
      let text = goAwayText.isEmpty ? error.message : goAwayText
      entry.handler.closed(
        isUnprocessed ? .unprocessed(text, wasSent: wasSent) : .connectionLost(farewell),
        &wakes
      )
    }
    notices.append(.closed(error))
  }
}

// MARK: Signs of life

extension ConnectionCore {
  /// Tells the machine when the first stream opens and the last one closes.
  private func noteStreams() {
    guard streams.isEmpty == wasBusy else { return }
    wasBusy = !streams.isEmpty
    mustSchedule = true
    keepalive.streamsChanged(areOpen: wasBusy, at: ContinuousClock.now)
  }

  /// The time of the next check, if it is to be scheduled now.
  func takeCheck() -> ContinuousClock.Instant? {
    guard mustSchedule, !isClosed else { return nil }
    mustSchedule = false
    guard let next = keepalive.nextCheck, scheduledCheck.map({ next < $0 }) ?? true else {
      return nil
    }
    scheduledCheck = next
    return next
  }

  /// The time of a check has come; one that was overtaken by an earlier one is passed over.
  func check(scheduledFor time: ContinuousClock.Instant, now: ContinuousClock.Instant) {
    guard !isClosed, time == scheduledCheck else { return }
    scheduledCheck = nil
    mustSchedule = true
    switch keepalive.check(at: now) {
    case .fine: break
    case .ping(let payload): session.ping(payload)
    case .dead: fail(ByteStreamError(.network, "The peer does not answer any more."))
    case .idle:
      session.goAway()
      try? write()
      notices.append(.idle)
      fail(ByteStreamError(.network, "The connection was idle."))
    }
  }

  /// Asks the peer for a sign of life; the answer is told as ``ConnectionNotice/answered``.
  func probe(at now: ContinuousClock.Instant) {
    guard let payload = keepalive.probe(at: now) else { return }
    mustSchedule = true
    session.ping(payload)
  }

  func suspend() { keepalive.suspend() }

  func resume(at now: ContinuousClock.Instant) {
    keepalive.resume(at: now)
    mustSchedule = true
  }

  /// Says in two steps that no more streams are taken (RFC 9113, section 6.8): those that the peer
  /// opened before it heard the first are still served, the second goes out when it has heard it.
  func drain(at now: ContinuousClock.Instant) {
    session.announceGoAway()
    isAnnouncingGoAway = true
    probe(at: now)
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
    guard let entry = find(stream) else { return }
    entry.handler.received(headers, kind: kind, endStream: endStream)
    touch(entry)
  }

  func received(_ data: UnsafeRawBufferPointer, stream: Int32) {
    guard let entry = find(stream) else { return session.consume(data.count, stream: stream) }
    entry.debt += data.count
    entry.handler.received(data)
    touch(entry)
  }

  func ended(stream: Int32) {
    guard let entry = find(stream) else { return }
    entry.handler.ended()
    touch(entry)
  }

  func closed(stream: Int32, code: HTTP2ErrorCode, remotely: Bool) {
    guard let entry = remove(stream) else { return }
    // nghttp2 does not give the connection's window back for a stream that is gone.
    session.consumeConnection(entry.debt)
    _ = entry.handler.settle(&wakes)
    entry.handler.closed(closure(stream, code, remotely: remotely), &wakes)
  }

  func refusedHeaders(stream: Int32) {
    guard let entry = find(stream) else { return }
    entry.handler.refusedHeaders()
    touch(entry)
  }

  func sent(_ count: Int, stream: Int32) { touchOutput(stream) }

  func receivedGoAway(lastStream: Int32, code: HTTP2ErrorCode, debugData: [UInt8]) {
    lastGoodStream = min(lastGoodStream, lastStream)
    isDraining = true
    let text = String(decoding: debugData.prefix(100), as: UTF8.self)
    goAwayText = "The server said goodbye with \(code)\(text.isEmpty ? "" : " (\(text))")."
    isFaulted = isFaulted || code != .noError
    notices.append(.draining(code, debugData: debugData))
  }

  func receivedSettings() {
    guard !isReady else { return }
    isReady = true
    beginning = []
    notices.append(.ready)
  }

  func receivedPingAnswer(_ payload: UInt64) {
    guard keepalive.answered(payload) else { return }
    if isAnnouncingGoAway {
      isAnnouncingGoAway = false
      return session.goAway()
    }
    notices.append(.answered)
  }

  private func touch(_ stream: Stream) {
    guard !stream.isTouched else { return }
    stream.isTouched = true
    touched.append(stream)
  }

  private func closure(
    _ stream: Int32,
    _ code: HTTP2ErrorCode,
    remotely: Bool
  ) -> StreamClosure {
    if code == .refusedStream, role == .client {
      let text = "The server refused the stream before looking at it."
      return .unprocessed(
        stream > lastGoodStream ? goAwayText : text,
        wasSent: session.wasSent(stream)
      )
    }
    if code == .noError, !remotely { return .finished }
    return .reset(code, remotely: remotely)
  }
}
