internal import Synchronization

extension TimelineRun {
  func work() async {
    do throws(MessageError) {
      try openCache()
      try await openHistory()
      let watch = GroupWatch(
        calls: parts.calls.inPeriod(state.withLock { $0.period }),
        events: parts.events,
        currentUser: parts.currentUser,
        clock: parts.clock,
        chance: parts.chance,
        group: parts.group,
        after: state.withLock { $0.machine.newestKnown }
      )
      for try await event in watch { receive(event) }
      finish(.success(()))
    } catch {
      endIfSessionChanged()
      finish(error.code == "cancelled" ? .success(()) : .failure(error))
    }
    saveIfNeeded()
  }

  /// Shows what is stored, before the network is asked.
  private func openCache() throws(MessageError) {
    _ = try parts.calls.dialect.historyRequest(group: parts.group, query: HistoryQuery())
    let values = try PeriodValues.present(in: parts.storage)
    state.withLock { $0.values = values }
    // Whatever is wrong with it, a cache is no reason not to open the group.
    let cached = try? values?.value(CachedHistory.self, forKey: CachedHistory.key(parts.group))
    let history = cached?.history(of: parts.group) ?? []
    try refreshing.withLock { _ throws(MessageError) in
      let unsent = try values.map { values throws(MessageError) in
        try parts.outbox.shown(in: parts.group, values)
      }
      change { $0.open(cached: history, me: parts.currentUser.known, unsent: unsent ?? []) }
    }
    startSending()
  }

  /// Reads the newest page, and who the user is, both at once.
  func openHistory() async throws(MessageError) {
    async let identified = identify()
    let query = try HistoryQuery()
    let page = try await retrying(pageBell) { [calls] () async throws(MessageError) in
      try await calls.history(group: parts.group, query: query)
    }
    change(toBeStored: true) { $0.receive(newest: page) }
    try await identified.get()
    // The unsent ones that the page confirms are known now that it is known who has sent them.
    refreshUnsent()
    save()
    try await fillBridge()
  }

  /// The calls of the period that the timeline was opened in.
  var calls: MessageCalls { parts.calls.inPeriod(state.withLock { $0.period }) }

  private func identify() async -> Result<Void, MessageError> {
    do throws(MessageError) {
      let me = try await retrying(userBell) { () async throws(MessageError) in
        try await parts.currentUser.id()
      }
      change { $0.identify(me) }
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  /// Fills the hole between what was cached and the newest page.
  private func fillBridge() async throws(MessageError) {
    var triesLeft = TimelineRun.mostTries
    while let query = state.withLock({ $0.machine.bridge }) {
      let page = try await retrying(pageBell) { [calls] () async throws(MessageError) in
        try await calls.history(group: parts.group, query: query)
      }
      if change({ $0.receive(page, for: query) }) { continue }
      triesLeft -= 1
      if triesLeft == 0 { return change { $0.giveUpBridge() } }
      await pageBell.wait(for: WatchMachine.patience, clock: parts.clock)
      if Task.isCancelled { throw .cancelled }
    }
  }

  /// Tries until it succeeds or fails for good, and shows meanwhile why it waits.
  private func retrying<Value>(
    _ bell: Bell,
    _ call: () async throws(MessageError) -> Value
  ) async throws(MessageError) -> Value {
    var backoff = Backoff()
    while true {
      do throws(MessageError) {
        return try await call()
      } catch {
        guard error.isTemporary else { throw error }
        change { $0.wait(because: error.description) }
        let delay = backoff.next(retryAfter: error.retryAfter, chance: parts.chance())
        await bell.wait(for: delay, clock: parts.clock)
        if Task.isCancelled { throw .cancelled }
      }
    }
  }

  func retryNow() {
    pageBell.ring()
    userBell.ring()
    startSending()
  }

  private func startSending() {
    guard let values = state.withLock({ $0.values }) else { return }
    parts.outbox.startSending(parts.group, values)
  }
}
