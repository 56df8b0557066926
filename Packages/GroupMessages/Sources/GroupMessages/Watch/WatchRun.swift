internal import SessionModels

/// One watch under way: does what the ``WatchMachine`` says.
///
/// One task at a time uses it. A task of its own reads the event stream into the mailbox, since
/// one task cannot both read a stream and keep a deadline.
final class WatchRun {
  private enum StreamState {
    case running
    case finished
    case failed(any Error)
  }

  private let watch: GroupWatch
  private let now: () -> Duration
  private let mailbox = Mailbox<GroupEvent>(capacity: 16)
  private var machine: WatchMachine?
  private var reader: Task<Void, Never>?
  private var stream = StreamState.running

  init(watch: GroupWatch) {
    self.watch = watch
    now = stopwatch(of: watch.clock)
  }

  deinit {
    reader?.cancel()
    mailbox.close()
  }

  /// The next event, or nil after the stream's end.
  func next() async throws(MessageError) -> GroupEvent? {
    if machine == nil { machine = try await start() }
    while let step = machine?.step(now: now()) {
      if case .deliver(let event) = step { return event }
      if case .failed(let error) = stream {
        throw MessageError(portError: error, isTemporary: false)
      }
      if Task.isCancelled { throw .cancelled }
      switch (step, stream) {
      case (.deliver, _): break
      case (.fetch(let query), _): try await fetch(query)
      case (.pause(let deadline), _), (.wait(.some(let deadline)), .finished):
        try await sleep(deadline - now())
      case (.wait(nil), .finished): return nil
      case (.wait(let deadline), _): await receive(until: deadline)
      }
    }
    return nil
  }

  /// Learns who is signed in and where to begin, then subscribes.
  ///
  /// In this order: what is sent between the look at the history and the subscription comes
  /// after that sequence, and so through the stream.
  private func start() async throws(MessageError) -> WatchMachine {
    let watch = watch
    let newest = try HistoryQuery(limit: 1)
    // Wrong input is found before anything is sent, also where no history is needed.
    _ = try watch.calls.dialect.historyRequest(group: watch.group, query: newest)
    _ = try await retrying { () async throws(MessageError) in try await watch.currentUser.id() }
    var after = watch.after
    if after == nil {
      let page = try await retrying { () async throws(MessageError) in
        try await watch.calls.history(group: watch.group, query: newest)
      }
      after = page.messages.last?.sequence
    }
    let first = after ?? 0
    reader = Task { [mailbox] in
      await read(watch.events.events(group: watch.group, after: first), into: mailbox)
    }
    return WatchMachine(after: first)
  }

  private func fetch(_ query: HistoryQuery) async throws(MessageError) {
    do throws(MessageError) {
      let page = try await watch.calls.history(group: watch.group, query: query)
      machine?.filled(page, for: query, now: now())
    } catch {
      guard error.isTemporary else { throw error }
      machine?.fillFailed(retryAfter: error.retryAfter, chance: watch.chance(), now: now())
    }
  }

  private func receive(until deadline: Duration?) async {
    switch mailbox.take() {
    case .element(let event): machine?.receive(event, now: now())
    case .ended(nil):
      stream = .finished
      machine?.streamDidEnd()
    case .ended(.some(let error)): stream = .failed(error)
    case nil:
      if let deadline {
        await mailbox.wait(for: deadline - now(), clock: watch.clock)
      } else {
        await mailbox.wait()
      }
    }
  }

  private func retrying<Value>(
    _ call: () async throws(MessageError) -> Value
  ) async throws(MessageError) -> Value {
    var backoff = Backoff()
    while true {
      do throws(MessageError) {
        return try await call()
      } catch {
        guard error.isTemporary else { throw error }
        try await sleep(backoff.next(retryAfter: error.retryAfter, chance: watch.chance()))
      }
    }
  }

  private func sleep(_ duration: Duration) async throws(MessageError) {
    do {
      try await watch.clock.sleep(for: duration)
    } catch {
      throw .cancelled
    }
  }
}

/// Reads a stream into a mailbox until it ends or the mailbox is closed.
private func read<Events: AsyncSequence<GroupEvent, any Error>>(
  _ events: Events,
  into mailbox: Mailbox<GroupEvent>
) async {
  do {
    for try await event in events {
      guard await mailbox.put(event) else { return }
    }
    mailbox.finish(nil)
  } catch {
    mailbox.finish(error)
  }
}
