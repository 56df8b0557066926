internal import SessionModels
internal import Synchronization

extension TimelineRun {
  func receive(_ event: GroupEvent) {
    let isMessage = if case .message = event { true } else { false }
    change(toBeStored: isMessage) { $0.receive(event, now: now()) }
    switch event {
    case .message: save()
    case .typing: watchExpiry()
    case .gap: break
    }
  }

  func receive(_ news: OutboxNews) {
    guard news.period == state.withLock({ $0.values?.period }) else { return }
    switch news.event {
    case .waiting(let error): change { $0.unsentWait(because: error.description) }
    case .sent(_, let message):
      change { machine in
        machine.unsentWait(because: nil)
        machine.receive(sent: message)
      }
    case .resting: return
    case .changed, .refused, .discarded: break
    }
    refreshUnsent()
  }

  func refreshUnsent() {
    refreshing.withLock { _ in
      guard let values = state.withLock({ $0.values }),
        let unsent = try? parts.outbox.shown(in: parts.group, values)
      else { return }
      change { $0.show(unsent) }
    }
  }

  /// The values of the period that it was opened in, so that what a user writes into it is never
  /// taken for the next one's; before it is opened those of the present one.
  func values() throws(MessageError) -> PeriodValues {
    if let values = state.withLock({ $0.values }) { return values }
    return try parts.outbox.signedIn()
  }

  private func watchExpiry() {
    state.withLock { state in
      guard state.expiry == nil, state.end == nil else { return }
      state.expiry = Task { [weak self, clock = parts.clock] in
        while let delay = self?.timeToExpiry() {
          guard (try? await clock.sleep(for: delay)) != nil else { return }
          self?.expire()
        }
      }
    }
  }

  private func timeToExpiry() -> Duration? {
    state.withLock { state in
      if let next = state.machine.nextExpiry { return next - now() }
      state.expiry = nil
      return nil
    }
  }

  private func expire() { change { $0.expire(now: now()) } }

  func typing() async {
    let isDue = state.withLock { state in
      if let last = state.typingSent, now() - last < TimelineRun.typingTime { return false }
      state.typingSent = now()
      return state.end == nil
    }
    if isDue { try? await parts.typing?.signalTyping(in: parts.group) }
  }

  func loadEarlier(limit: Int) async throws(MessageError) -> Bool {
    guard HistoryQuery.limits.contains(limit) else { throw .invalidInput(.limit(limit)) }
    let loading = state.withLock { state in
      if let loading = state.loading { return loading }
      let loading = Task { await loadPage(limit: limit) }
      state.loading = loading
      return loading
    }
    return try await loading.value.get()
  }

  private func loadPage(limit: Int) async -> Result<Bool, MessageError> {
    defer { state.withLock { $0.loading = nil } }
    guard let query = state.withLock({ $0.machine.earlierQuery(limit: limit) }) else {
      return .success(false)
    }
    do throws(MessageError) {
      let page = try await calls.history(group: parts.group, query: query)
      return .success(
        change { machine in
          machine.receive(earlier: page, for: query)
          return machine.snapshot.hasEarlier
        }
      )
    } catch {
      return .failure(error)
    }
  }
}
