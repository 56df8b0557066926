internal import Synchronization

extension Outbox {
  /// Sees to it that somebody sends what waits in a group.
  ///
  /// - Parameters:
  ///   - group: the group's id.
  ///   - hurrying: whether a wait after failures is cut short.
  func startSending(_ group: String, hurrying: Bool = true) {
    guard let values = try? PeriodValues.present(in: storage) else { return }
    state.withLock { state in
      if state.period != values.period { state.begin(values.period) }
      state.machines[group, default: OutboxMachine()].begin()
      if hurrying { state.machines[group]?.hurry(state.pause) }
      if let bell = state.bells[group] { return bell.ring() }
      let bell = Bell()
      state.bells[group] = bell
      state.senders[group] = Task { [weak self, clock, now] in
        while let end = await self?.advance(group, values) {
          await bell.wait(for: end - now(), clock: clock)
        }
      }
    }
  }

  /// Sends until there is something to wait for.
  ///
  /// - Returns: until when to wait; nil where the sender's work is done.
  private func advance(_ group: String, _ values: PeriodValues) async -> Duration? {
    while !Task.isCancelled {
      switch nextStep(of: group, values) {
      case (.rest, _):
        tell(.resting, of: group)
        return nil
      case (.wait(let end), let error):
        if let error { tell(.waiting(error), of: group) }
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
      let list = try? values.value(OutboxList.self, forKey: Outbox.key(group))
      let step = state.machines[group]?.step(list ?? OutboxList(), now: now()) ?? .rest
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
        _ = try await values.modify(OutboxList.self, forKey: Outbox.key(group)) { $0.remove(id) }
        tell(.sent(id, message), of: group)
      case .refused(let refusal):
        _ = try await values.modify(OutboxList.self, forKey: Outbox.key(group)) {
          $0.mark(id, refused: refusal)
        }
        tell(.refused(id, refusal), of: group)
      case .postponed: break
      case .halted(let error): tell(.waiting(error), of: group)
      }
    } catch {
      // The message is stored still, so it would be sent again at once: not before somebody asks.
      state.withLock { if $0.period == values.period { $0.machines[group]?.halt() } }
      tell(.waiting(error), of: group)
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

  func tell(_ event: OutboxNews.Event, of group: String) {
    let news = OutboxNews(group: group, event: event)
    for observer in state.withLock({ Array($0.observers.values) }) { observer(news) }
  }

  /// Waits until a message was answered for, or its group has to wait.
  ///
  /// - Parameters:
  ///   - id: the message's client message id.
  ///   - group: the group's id.
  ///   - keep: keeps the message, where it is not yet.
  /// - Returns: the message as the server has it.
  /// - Throws: why it waits, or why it was refused; what `keep` throws.
  func firstTry(
    of id: String,
    in group: String,
    after keep: () async throws(MessageError) -> Void
  ) async throws(MessageError) -> GroupMessage {
    let (news, continuation) = AsyncStream<OutboxNews.Event>.makeStream()
    // Before it is kept, since a sender that is at work may send it the moment after.
    let observer = observe { if $0.group == group { continuation.yield($0.event) } }
    defer { stopObserving(observer) }
    guard let values = try PeriodValues.present(in: storage) else { throw .sessionChanged }
    try await keep()
    startSending(group)
    for await event in news {
      switch event {
      case .sent(id, let message): return message
      case .refused(id, let refusal):
        throw .rejected(MessageRejection(status: refusal.status, message: refusal.message))
      case .discarded(id): throw .cancelled
      case .waiting(let error): throw error
      case .resting:
        guard values.isPresent else { throw .sessionChanged }
        if try list(of: group)?.entry(id) != nil { continue }
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
