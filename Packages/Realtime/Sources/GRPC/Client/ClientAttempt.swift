internal import HTTP2
internal import Synchronization

/// One attempt of a call: one stream, and what came on it.
final class ClientAttempt: Sendable {
  /// What an attempt has to say to whoever reads it.
  enum Step {
    case messages(InboundBatch)
    case outcome(CallOutcome)
  }

  private struct State {
    var inbound: InboundMessages
    var response = ResponseMachine()
    var place: (connection: Connection, stream: Int32)?
    var isClosed = false
    var isAborted = false
    var pending = 0
    var reader: CheckedContinuation<Void, Never>?
    var writers: [CheckedContinuation<Void, Never>] = []

    mutating func takeStep() -> Step? {
      if let batch = inbound.takeBatch(encoding: response.encoding) { return .messages(batch) }
      return response.outcome.map(Step.outcome)
    }

    mutating func takeReader() -> CheckedContinuation<Void, Never>? {
      defer { reader = nil }
      return reader
    }

    mutating func takeWriters() -> [CheckedContinuation<Void, Never>] {
      defer { writers = [] }
      return writers
    }
  }

  private let state: Mutex<State>
  private let sendBuffer: Int

  init(configuration: GRPCChannelConfiguration) {
    sendBuffer = configuration.sendBuffer
    state = Mutex(
      State(
        inbound: InboundMessages(
          limit: configuration.maximumMessageBytes,
          window: Int(configuration.http2.streamWindow)
        )
      )
    )
  }

  /// The metadata of the answer, as far as it has come.
  var metadata: GRPCMetadata { state.withLock { $0.response.metadata } }

  /// Whether the server, or this side, has ended it.
  var isOver: Bool { state.withLock { $0.response.outcome != nil } }

  /// Whether this side ended it before the server did.
  var isAborted: Bool { state.withLock { $0.isAborted } }

  func opened(on connection: Connection, stream: Int32) {
    state.withLock { $0.place = (connection, stream) }
  }

  /// Waits for something to say.
  ///
  /// - Parameter position: how much of the stream was taken; nil says nothing new.
  /// - Returns: the messages that have come, or how it ended once there are none left.
  func next(after position: Int?) async -> Step {
    while true {
      let (step, credit, place) = state.withLock { state in
        if let position { state.inbound.took(upTo: position) }
        let step = state.takeStep()
        return (step, state.inbound.takeCredit(), state.place)
      }
      if credit > 0, let place { place.connection.giveBack(credit, stream: place.stream) }
      if let step { return step }
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          guard state.inbound.isEmpty, state.response.outcome == nil else { return false }
          state.reader = continuation
          return true
        }
        if !waits { continuation.resume() }
      }
    }
  }

  /// Counts what was taken of the messages that were handed out.
  func took(upTo position: Int) {
    let (credit, place) = state.withLock { state in
      state.inbound.took(upTo: position)
      return (state.inbound.takeCredit(), state.place)
    }
    if credit > 0, let place { place.connection.giveBack(credit, stream: place.stream) }
  }

  func send(_ part: OutboundPart) async {
    guard let place = state.withLock({ $0.place }) else { return }
    place.connection.send(part, stream: place.stream)
    await withCheckedContinuation { continuation in
      let waits = state.withLock { state in
        guard state.pending > sendBuffer, state.response.outcome == nil else { return false }
        state.writers.append(continuation)
        return true
      }
      if !waits { continuation.resume() }
    }
  }

  /// Ends it for a reason of this side; messages that nobody took are dropped.
  func abort(_ status: GRPCStatus) {
    let (reader, writers) = state.withLock { state in
      if state.response.outcome == nil {
        state.response.abort(status)
        state.isAborted = true
        _ = state.inbound.drop()
      }
      return (state.takeReader(), state.takeWriters())
    }
    reader?.resume()
    for writer in writers { writer.resume() }
    release()
  }

  /// Resets the stream if it is still open: nobody reads it any more.
  func release() {
    let place = state.withLock { $0.isClosed ? nil : $0.place }
    place?.connection.reset(stream: place?.stream ?? 0, code: .cancel)
  }
}

extension ClientAttempt: StreamHandler {
  func received(_ headers: [HTTP2Header], kind: HTTP2HeadersKind, endStream: Bool) {
    state.withLock { state in
      state.response.receive(
        headers,
        kind: kind,
        endStream: endStream,
        isWithinMessage: state.inbound.isWithinMessage
      )
    }
  }

  func refusedHeaders() {
    state.withLock { state in
      state.response.abort(
        GRPCStatus(.resourceExhausted, "The answer's metadata is larger than this client takes.")
      )
    }
  }

  func received(_ data: UnsafeRawBufferPointer) {
    state.withLock { state in
      guard state.response.outcome == nil else { return state.inbound.skip(data.count) }
      do throws(GRPCStatus) {
        try state.inbound.receive(data)
      } catch {
        state.response.abort(error)
      }
    }
  }

  func ended() {
    state.withLock { $0.response.ended(isWithinMessage: $0.inbound.isWithinMessage) }
  }

  func closed(_ closure: StreamClosure, _ wakes: inout Wakes) {
    let (reader, writers) = state.withLock { state in
      state.isClosed = true
      state.response.closed(closure)
      return (state.takeReader(), state.takeWriters())
    }
    wakes.add(reader)
    wakes.add(writers)
  }

  func settle(_ wakes: inout Wakes) -> Int {
    let (credit, reader, writers) = state.withLock { state in
      let isOver = state.response.outcome != nil
      return (state.inbound.takeCredit(), state.takeReader(), isOver ? state.takeWriters() : [])
    }
    wakes.add(reader)
    wakes.add(writers)
    return credit
  }

  func wrote(pending: Int, _ wakes: inout Wakes) {
    let writers = state.withLock { state in
      state.pending = pending
      return pending <= sendBuffer / 2 ? state.takeWriters() : []
    }
    wakes.add(writers)
  }
}
