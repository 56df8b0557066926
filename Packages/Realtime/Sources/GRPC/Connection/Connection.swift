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
  private let core: Mutex<ConnectionCore>
  private let loop: EventLoop
  private let owner: any ConnectionOwner
  private let descriptor: Int32
  private let isServer: Bool

  init(
    _ socket: sending ByteStream,
    role: HTTP2Session.Role,
    configuration: HTTP2Configuration,
    keepalive: KeepaliveMachine.Limits,
    loop: EventLoop,
    owner: any ConnectionOwner
  ) throws(HTTP2Error) {
    descriptor = socket.descriptor
    isServer = role == .server
    self.loop = loop
    self.owner = owner
    core = Mutex(
      try ConnectionCore(
        socket: socket,
        role: role,
        configuration: configuration,
        keepalive: keepalive,
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
  }

  private func ready(_ readiness: Readiness) {
    let mustGather = run { core in
      if readiness.contains(.writable) { try? core.socket.flush() }
      guard readiness.contains(.readable) else { return false }
      if isServer {
        core.accept = { headers, stream in
          self.owner.accept(headers, stream: stream, on: self)
        }
      }
      let mustGather = core.read(now: ContinuousClock.now)
      core.accept = nil
      return mustGather
    }
    if mustGather { loop.pause(for: ReadPacing.pause) }
  }

  private struct Changes<Result: Sendable>: Sendable {
    let result: Result
    let wakes: Wakes
    let notices: [ConnectionNotice]
    var check: ContinuousClock.Instant?
  }

  /// Does something under the lock, then all that follows from it.
  @discardableResult
  private func run<Result: Sendable>(_ body: (ConnectionCore) -> Result) -> Result {
    let changes = core.withLock { core -> Changes<Result> in
      if core.isClosed {
        let result = body(core)
        return Changes(result: result, wakes: core.takeWakes(), notices: core.takeNotices())
      }
      let wantedWrite = core.socket.hasPendingOutput
      let result = body(core)
      core.settle()
      if core.isClosed {
        loop.unwatch(descriptor)
        core.socket.close()
      } else if core.socket.hasPendingOutput != wantedWrite {
        loop.change(descriptor, to: wantedWrite ? .readable : [.readable, .writable])
      }
      return Changes(
        result: result,
        wakes: core.takeWakes(),
        notices: core.takeNotices(),
        check: core.takeCheck()
      )
    }
    changes.wakes.resume()
    if let check = changes.check {
      loop.schedule(at: check) { [weak self] in self?.check(scheduledFor: check) }
    }
    for notice in changes.notices { owner.received(notice, from: self) }
    return changes.result
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
    run { core in core.reset(stream: stream, code: code) }
  }

  func giveBack(_ count: Int, stream: Int32) {
    run { core in core.giveBack(count, stream: stream) }
  }

  /// Says goodbye in two steps; streams that are open go on.
  func drain() { run { core in core.drain(at: ContinuousClock.now) } }

  /// Ends it at once, with all its streams.
  func close(_ reason: String) {
    run { core in core.fail(ByteStreamError(.network, reason)) }
  }

  /// Asks the peer for a sign of life now; ``ConnectionNotice/answered`` tells that it came.
  func probe() { run { core in core.probe(at: ContinuousClock.now) } }

  /// The app is about to be suspended: no pings until ``resume()``.
  func suspend() { run { core in core.suspend() } }

  /// The app runs again.
  ///
  /// - Returns: whether streams are open.
  func resume() -> Bool {
    run { core in
      core.resume(at: ContinuousClock.now)
      return !core.streams.isEmpty
    }
  }

  private func check(scheduledFor time: ContinuousClock.Instant) {
    run { core in core.check(scheduledFor: time, now: ContinuousClock.now) }
  }
}
