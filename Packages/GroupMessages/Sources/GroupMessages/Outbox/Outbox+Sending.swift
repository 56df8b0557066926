internal import Synchronization

extension Outbox {
  /// Sees to it that somebody sends what waits in a group.
  ///
  /// - Parameters:
  ///   - group: the group's id.
  ///   - values: of the period whose messages they are. Where it is over, nothing is done.
  ///   - hurrying: whether a wait after failures is cut short.
  /// - Returns: whether the period is the present one, so that whoever waits hears of it.
  @discardableResult
  func startSending(_ group: String, _ values: PeriodValues, hurrying: Bool = true) -> Bool {
    state.withLock { state in
      // Asked under the lock: a period that has just ended must not take the place of the next one.
      guard values.isPresent else { return false }
      if state.period != values.period { state.begin(values.period) }
      state.machines[group, default: OutboxMachine()].begin()
      if hurrying { state.machines[group]?.hurry(state.pause) }
      if let bell = state.bells[group] {
        bell.ring()
        return true
      }
      let bell = Bell()
      state.bells[group] = bell
      state.senders[group] = Task { [weak self, clock, now] in
        while let end = await self?.advance(group, values) {
          await bell.wait(for: end - now(), clock: clock)
        }
        // Also where it was cancelled, since another period has begun: nobody waits for ever.
        self?.tell(.resting, of: group, values)
      }
      return true
    }
  }

  /// Sends until there is something to wait for.
  ///
  /// - Returns: until when to wait; nil where the sender's work is done.
  private func advance(_ group: String, _ values: PeriodValues) async -> Duration? {
    while !Task.isCancelled {
      switch nextStep(of: group, values) {
      case (.rest, _): return nil
      case (.wait(let end), let error):
        if let error { tell(.waiting(error), of: group, values) }
        return end
      case (.send(let entry), _): await send(entry, to: group, values)
      }
    }
    return nil
  }

  private func nextStep(
    of group: String,
    _ values: PeriodValues
  ) -> (step: OutboxMachine.Step, lastError: MessageError?) {
    state.withLock { state in
      guard state.period == values.period else { return (.rest, nil) }
      // Read under the lock: a message written after it rings a bell that is still there.
      let list = (try? list(of: group, values)) ?? OutboxList()
      let step = state.machines[group]?.step(list, now: now()) ?? .rest
      if step == .rest { state.bells[group] = nil }
      return (step, state.machines[group]?.lastError)
    }
  }

  private func send(_ entry: OutboxEntry, to group: String, _ values: PeriodValues) async {
    let id = entry.clientMessageID
    let result: Result<GroupMessage, MessageError>
    do throws(MessageError) {
      let calls = calls.inPeriod(values.period)
      result = .success(try await calls.send(entry.body, to: group, clientMessageID: id))
    } catch {
      result = .failure(error)
    }
    let chance = chance()
    let verdict = state.withLock { state -> OutboxMachine.Verdict? in
      // What another account left under way is no affair of this one's.
      guard state.period == values.period else { return nil }
      let verdict = state.machines[group]?.answered(result, now: now(), chance: chance)
      if case .sent = verdict { state.confirmed[group, default: []].append(entry) }
      if case .postponed(let error) = verdict, let pause = error.retryAfter {
        let pause = OutboxMachine.Pause(end: now() + Backoff.obeyed(pause), error: error)
        if state.pause.map({ $0.end < pause.end }) ?? true { state.pause = pause }
        for group in state.machines.keys { state.machines[group]?.pause(pause) }
      }
      return verdict
    }
    guard let verdict else { return }
    await keep(verdict, of: entry, group, values)
  }

  /// Writes down what became of a message, and only then tells.
  private func keep(
    _ verdict: OutboxMachine.Verdict,
    of entry: OutboxEntry,
    _ group: String,
    _ values: PeriodValues
  ) async {
    let id = entry.clientMessageID
    do throws(MessageError) {
      switch verdict {
      case .sent(let message):
        defer { state.withLock { $0.confirmed[group]?.removeAll { $0.clientMessageID == id } } }
        _ = try await modify(group, values) { $0.remove(id) }
        tell(.sent(id, message), of: group, values)
      case .refused(let refusal):
        _ = try await modify(group, values) { $0.mark(id, refused: refusal) }
        tell(.refused(id, refusal), of: group, values)
      case .postponed: break
      case .halted(let error): tell(.waiting(error), of: group, values)
      }
    } catch {
      // The message is stored still, so it would be sent again at once: not before somebody asks.
      state.withLock { if $0.period == values.period { $0.machines[group]?.halt() } }
      tell(.waiting(error), of: group, values)
    }
  }
}

// MARK: Telling

extension Outbox {
  func observe(_ observer: @escaping @Sendable (OutboxNews) -> Void) -> Int {
    state.withLock { state in
      state.nextObserver += 1
      state.observers[state.nextObserver] = observer
      return state.nextObserver
    }
  }

  func stopObserving(_ id: Int) {
    state.withLock { state in _ = state.observers.removeValue(forKey: id) }
  }

  func tell(_ event: OutboxNews.Event, of group: String, _ values: PeriodValues) {
    let news = OutboxNews(group: group, period: values.period, event: event)
    for observer in state.withLock({ Array($0.observers.values) }) { observer(news) }
  }

  /// Waits until a message was answered for, or its group has to wait.
  ///
  /// - Parameters:
  ///   - id: the message's client message id.
  ///   - group: the group's id.
  ///   - values: of the period whose message it is.
  ///   - keep: keeps the message, where it is not yet.
  /// - Returns: the message as the server has it.
  /// - Throws: why it waits, or why it was refused; what `keep` throws; `sessionChanged` where the
  ///   period is over.
  func firstTry(
    of id: String,
    in group: String,
    _ values: PeriodValues,
    after keep: () async throws(MessageError) -> Void
  ) async throws(MessageError) -> GroupMessage {
    let (news, continuation) = AsyncStream<OutboxNews.Event>.makeStream()
    // Before it is kept, since a sender that is at work may send it the moment after.
    let observer = observe { news in
      guard news.group == group, news.period == values.period else { return }
      continuation.yield(news.event)
    }
    defer { stopObserving(observer) }
    try await keep()
    guard startSending(group, values) else { throw values.absence }
    for await event in news {
      switch event {
      case .sent(id, let message): return message
      case .refused(id, let refusal):
        throw .rejected(MessageRejection(status: refusal.status, message: refusal.message))
      case .discarded(id): throw .cancelled
      case .waiting(let error): throw error
      case .resting:
        guard values.isPresent else { throw values.absence }
        if try list(of: group, values).entry(id) != nil { continue }
        return try await sentElsewhere(id, in: group, values)
      default: continue
      }
    }
    throw .cancelled
  }

  /// A message that is not here any more, as the server has it: another process has sent it.
  ///
  /// It is looked for and not sent again, as that process may have discarded it.
  private func sentElsewhere(
    _ id: String,
    in group: String,
    _ values: PeriodValues
  ) async throws(MessageError) -> GroupMessage {
    let query = HistoryQuery(uncheckedBefore: nil, limit: HistoryQuery.limits.upperBound)
    let page = try await calls.inPeriod(values.period).history(group: group, query: query)
    guard let message = page.messages.last(where: { $0.clientMessageID == id }) else {
      throw .cancelled
    }
    return message
  }
}

extension Outbox.State {
  /// Forgets what belonged to another account, and sends no more of it.
  mutating func begin(_ period: SessionPeriod) {
    senders.values.forEach { $0.cancel() }
    (machines, senders, bells, pause, confirmed) = ([:], [:], [:], nil, [:])
    self.period = period
  }
}
