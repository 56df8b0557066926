internal import ByteStream
internal import HTTP2
internal import Synchronization

/// A part of what one side sends on a stream.
struct OutboundPart: Sendable {
  var headers: [HTTP2Header]?
  var body: [UInt8]?
  var isLast = false
  var trailers: [HTTP2Header]?
}

/// One HTTP/2 connection, of a client or a server: a lock around ``ConnectionCore``.
///
/// Whoever has something to send takes the lock and writes on its own thread; the loop's thread
/// takes it to read. So a call costs no hop, and a read one lock however many messages it brings.
final class Connection: Sendable {
  /// When to ask the peer for a sign of life.
  struct Keepalive: Sendable {
    /// Silence before a ping, while a stream is open; nil never pings.
    var interval: Duration?
    /// How long the answer may take.
    var timeout: Duration = .seconds(20)
  }

  private let core: Mutex<ConnectionCore>
  private let loop: EventLoop
  private let owner: any ConnectionOwner
  private let descriptor: Int32
  private let keepalive: Keepalive
  private let isServer: Bool

  init(
    _ socket: sending ByteStream,
    role: HTTP2Session.Role,
    configuration: HTTP2Configuration,
    keepalive: Keepalive,
    loop: EventLoop,
    owner: any ConnectionOwner
  ) throws(HTTP2Error) {
    descriptor = socket.descriptor
    isServer = role == .server
    self.loop = loop
    self.owner = owner
    self.keepalive = keepalive
    core = Mutex(
      try ConnectionCore(
        socket: socket,
        role: role,
        configuration: configuration,
        now: ContinuousClock.now
      )
    )
  }

  /// Begins to read.
  ///
  /// The loop keeps the connection alive until it is closed.
  func start() {
    loop.watch(descriptor, for: .readable) { readiness in self.ready(readiness) }
    run { _ in }
    if keepalive.interval != nil { scheduleKeepalive() }
  }

  private func ready(_ readiness: Readiness) {
    run { core in
      if readiness.contains(.writable) { try? core.socket.flush() }
      guard readiness.contains(.readable) else { return }
      if isServer {
        core.accept = { headers, stream in
          self.owner.accept(headers, stream: stream, on: self)
        }
      }
      core.read(now: ContinuousClock.now)
      core.accept = nil
    }
  }

  /// Does something under the lock, then all that follows from it.
  @discardableResult
  private func run<Result: Sendable>(_ body: (ConnectionCore) -> Result) -> Result {
    let (result, notices) = core.withLock { core in
      if core.isClosed { return (body(core), core.takeNotices()) }
      let wantedWrite = core.socket.hasPendingOutput
      let result = body(core)
      core.settle()
      let notices = core.takeNotices()
      if core.isClosed {
        loop.unwatch(descriptor)
        core.socket.close()
      } else if core.socket.hasPendingOutput != wantedWrite {
        loop.change(descriptor, to: wantedWrite ? .readable : [.readable, .writable])
      }
      return (result, notices)
    }
    for notice in notices { owner.received(notice, from: self) }
    return result
  }

  /// Whether new streams may be opened.
  var isUsable: Bool { core.withLock { !$0.isClosed && !$0.isDraining } }

  /// Opens a stream with its first bytes.
  ///
  /// - Returns: its id; nil when the connection takes no new streams.
  func open(
    _ headers: [HTTP2Header],
    body: [UInt8],
    end: Bool,
    handler: any StreamHandler
  ) -> Int32? {
    run { core in
      guard !core.isClosed, !core.isDraining,
        let stream = try? core.session.submitRequest(headers)
      else { return nil }
      core.add(handler, stream: stream)
      core.session.send(body, stream: stream)
      if end { core.session.end(stream: stream) }
      core.touchOutput(stream)
      return stream
    }
  }

  /// Answers a stream with nothing but headers.
  func respondOnly(_ headers: [HTTP2Header], stream: Int32) {
    run { core in try? core.session.submitResponseOnly(headers, stream: stream) }
  }

  /// Sends what is given, in this order and in one write: headers that begin an answer, bytes of
  /// the body, and the end of this side with or without trailers.
  func send(_ part: OutboundPart, stream: Int32) {
    run { core in
      guard core.streams[stream] != nil else { return }
      if let headers = part.headers {
        try? core.session.submitResponse(headers, stream: stream)
      }
      if let body = part.body { core.session.send(body, stream: stream) }
      if part.isLast { core.session.end(stream: stream, trailers: part.trailers) }
      core.touchOutput(stream)
    }
  }

  func reset(stream: Int32, code: HTTP2ErrorCode) {
    run { core in
      if core.streams[stream] != nil { core.session.reset(stream: stream, code: code) }
    }
  }

  func giveBack(_ count: Int, stream: Int32) {
    run { core in core.giveBack(count, stream: stream) }
  }

  /// Says goodbye; streams that are open go on.
  func goAway() { run { core in core.session.goAway() } }

  /// The first of the two steps of a graceful goodbye.
  func announceGoAway() { run { core in core.session.announceGoAway() } }

  /// Ends it at once, with all its streams.
  func close(_ reason: String) {
    run { core in core.fail(ByteStreamError(.network, reason)) }
  }

  private func scheduleKeepalive() {
    guard let interval = keepalive.interval else { return }
    let period = min(interval, keepalive.timeout)
    loop.schedule(at: ContinuousClock.now + period) { [weak self] in self?.keepAlive() }
  }

  /// Pings a peer that is silent while a stream is open, and gives up on one that does not answer.
  private func keepAlive() {
    guard let interval = keepalive.interval else { return }
    let now = ContinuousClock.now
    let goesOn = run { core in
      if core.isClosed { return false }
      if let sent = core.pingSentAt, now - sent >= keepalive.timeout {
        core.fail(ByteStreamError(.network, "The peer does not answer any more."))
      } else if core.pingSentAt == nil, !core.streams.isEmpty, now - core.lastSign >= interval {
        core.pingSentAt = now
        core.session.ping()
      }
      return !core.isClosed
    }
    if goesOn { scheduleKeepalive() }
  }
}
