internal import HTTP2
internal import Synchronization

extension GRPCServerCall: StreamHandler {
  func received(_ headers: [HTTP2Header], kind: HTTP2HeadersKind, endStream: Bool) {}

  func refusedHeaders() {
    abandon(GRPCStatus(.resourceExhausted, "The trailers are larger than this server takes."))
  }

  func received(_ data: UnsafeRawBufferPointer) {
    state.withLock { state in
      do throws(GRPCStatus) {
        try state.inbound.receive(data)
      } catch {
        state.close(error)
      }
    }
  }

  func ended() {
    state.withLock { state in
      state.requestEnded = true
      if state.inbound.isWithinMessage {
        state.close(GRPCStatus(.internalError, "The request ends within a message."))
      }
    }
  }

  func closed(_ closure: StreamClosure, _ wakes: inout Wakes) {
    let text =
      switch closure {
      case .finished: "The call has ended."
      case .reset(let code, _): "The stream was reset with \(code)."
      case .unprocessed(let text, _), .connectionLost(let text): text
      }
    abandon(GRPCStatus(.cancelled, text))
  }

  func settle(_ wakes: inout Wakes) -> Int {
    let (credit, reader) = state.withLock { state -> (Int, CheckedContinuation<Void, Never>?) in
      // Nobody reads a call that was answered or given up: its bytes are dropped as they come.
      let isDropped = state.closure != nil || state.answer == .ended
      let credit = isDropped ? state.inbound.drop() : state.inbound.takeCredit()
      return (credit, state.takeReader())
    }
    wakes.add(reader)
    return credit
  }

  func wrote(pending: Int, _ wakes: inout Wakes) {
    let writers = state.withLock { state in
      state.pending = pending
      return pending <= 32 << 10 ? state.takeWriters() : []
    }
    wakes.add(writers)
  }

  /// Ends the call from outside its handler, which is cancelled.
  func abandon(_ reason: GRPCStatus) {
    let (task, reader, writers) = state.withLock { state in
      state.close(reason)
      return (state.task, state.takeReader(), state.takeWriters())
    }
    reader?.resume()
    for writer in writers { writer.resume() }
    task?.cancel()
  }

  /// Answers with the status, once.
  func finish(_ status: GRPCStatus) {
    let lastFrame = state.withLock { $0.lastFrame }
    let headers = status.code == .ok && lastFrame != nil ? try? beginAnswer() : nil
    let (before, metadata, trailers) = state.withLock { state in
      let before = state.answer
      state.answer = .ended
      state.close(GRPCStatus(.cancelled, "The call has ended."))
      return (before, state.metadata, state.trailers)
    }
    switch before {
    case .ended: return
    case .begun:
      let part = OutboundPart(
        headers: headers,
        body: status.code == .ok ? lastFrame : nil,
        isLast: true,
        trailers: ServerAnswer.trailers(status, trailers)
      )
      connection.send(part, stream: stream)
    case .notBegun:
      var only = metadata
      for entry in trailers.entries { only.append(entry) }
      connection.respondOnly(ServerAnswer.trailersOnly(status, only), stream: stream)
    }
    let credit = state.withLock { $0.inbound.drop() }
    if credit > 0 { connection.giveBack(credit, stream: stream) }
  }
}
