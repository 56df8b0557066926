internal import SessionModels
internal import Synchronization

/// An open timeline at work: does what the ``TimelineMachine`` says.
///
/// Its tasks keep it alive, and ``GroupTimeline``, which they do not, ends them.
final class TimelineRun: Sendable {
  /// What it works with.
  struct Parts: Sendable {
    let group: String
    let calls: MessageCalls
    let events: any EventStream
    let typing: (any TypingSignals)?
    let currentUser: CurrentUser
    let outbox: Outbox
    let storage: any MessageStorage
    let clock: any Clock<Duration>
    let chance: @Sendable () -> Double
  }

  private struct State {
    var machine = TimelineMachine()
    var period: SessionPeriod?
    /// Counts what a reader could see: it waits for a number above that of its last snapshot.
    var version: UInt64 = 0
    var end: Result<Void, MessageError>?
    var readers = WaitingReaders()
    var tasks: [Task<Void, Never>] = []
    var hasStarted = false
    var observer: Int?
    var expiry: Task<Void, Never>?
    var saver: Task<Void, Never>?
    var isUnsaved = false
    var loading: Task<Result<Bool, MessageError>, Never>?
    var typingSent: Duration?
  }

  /// How long stored messages may lie behind what is shown.
  private static let savingTime = Duration.seconds(5)
  /// How often others are told that the user is writing.
  private static let typingTime = Duration.seconds(3)
  /// How often the history is asked for a hole that it does not fill.
  private static let mostTries = 3

  let parts: Parts
  private let now: @Sendable () -> Duration
  private let bell = Bell()
  private let state = Mutex(State())

  init(_ parts: Parts) {
    self.parts = parts
    now = stopwatch(of: parts.clock)
  }

  var snapshot: TimelineSnapshot { state.withLock { $0.machine.snapshot } }
}

// MARK: Reading

extension TimelineRun {
  private enum Look {
    case snapshot(TimelineSnapshot, version: UInt64)
    case ended(MessageError?)
  }

  func next(
    after seen: UInt64
  ) async throws(MessageError) -> (TimelineSnapshot, version: UInt64)? {
    start()
    while !Task.isCancelled {
      endIfSessionChanged()
      switch look(after: seen) {
      case .snapshot(let snapshot, let version): return (snapshot, version)
      case .ended(let error?): throw error
      case .ended(nil): return nil
      case nil: await waitForNews(after: seen)
      }
    }
    return nil
  }

  private func look(after seen: UInt64) -> Look? {
    state.withLock { state in
      if state.version > seen { return .snapshot(state.machine.snapshot, version: state.version) }
      return switch state.end {
      case .failure(let error): .ended(error)
      case .success: .ended(nil)
      case nil: nil
      }
    }
  }

  private func waitForNews(after seen: UInt64) async {
    let ticket = state.withLock { $0.readers.newTicket() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        let isNews = state.withLock { state in
          if state.version > seen || state.end != nil || Task.isCancelled { return true }
          state.readers.add(reader, ticket)
          return false
        }
        if isNews { reader.resume() }
      }
    } onCancel: {
      state.withLock { $0.readers.remove(ticket) }?.resume()
    }
  }

  /// Another account's messages are not to be shown, from whatever moment on (R4).
  private func endIfSessionChanged() {
    let period = state.withLock { $0.hasStarted && $0.end == nil ? $0.period : nil }
    guard let period, let present = try? parts.storage.period(), present != period else { return }
    finish(.failure(.sessionChanged), showing: TimelineMachine())
  }

  /// Changes what is shown, and tells the readers.
  private func change<Value>(_ body: (inout TimelineMachine) -> Value) -> Value {
    let (value, readers) = state.withLock { state -> (Value, [WaitingReaders.Reader]) in
      let value = body(&state.machine)
      guard state.end == nil else { return (value, []) }
      state.version += 1
      return (value, state.readers.takeAll())
    }
    for reader in readers { reader.resume() }
    return value
  }

  private struct Left {
    let tasks: [Task<Void, Never>]
    let readers: [WaitingReaders.Reader]
    let observer: Int?
  }

  private func finish(
    _ end: Result<Void, MessageError>,
    showing machine: TimelineMachine? = nil
  ) {
    let left = state.withLock { state -> Left? in
      if let machine { state.machine = machine }
      guard state.end == nil else { return nil }
      state.end = end
      let tasks = state.tasks + [state.expiry, state.saver].compactMap { $0 }
      defer { (state.tasks, state.expiry, state.saver) = ([], nil, nil) }
      return Left(tasks: tasks, readers: state.readers.takeAll(), observer: state.observer)
    }
    guard let left else { return }
    for task in left.tasks { task.cancel() }
    for reader in left.readers { reader.resume() }
    if let observer = left.observer { parts.outbox.stopObserving(observer) }
  }
}

// MARK: Beginning and ending

extension TimelineRun {
  private func start() {
    let isFirst = state.withLock { state in
      defer { state.hasStarted = true }
      return !state.hasStarted && state.end == nil
    }
    guard isFirst else { return }
    let observer = parts.outbox.observe { [weak self, group = parts.group] news in
      if news.group == group { self?.receive(news.event) }
    }
    let task = Task { await work() }
    let isOver = state.withLock { state in
      state.observer = observer
      guard state.end == nil else { return true }
      state.tasks.append(task)
      return false
    }
    if isOver {
      task.cancel()
      parts.outbox.stopObserving(observer)
    }
  }

  /// Ends it, and stores what is new by the way.
  func end() {
    finish(.success(()))
    Task { await saveIfNeeded() }
  }

  func close() async {
    finish(.success(()))
    await saveIfNeeded()
  }

  private func work() async {
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
      finish(error.code == "cancelled" ? .success(()) : .failure(error))
    }
    await saveIfNeeded()
  }

  /// Shows what is stored, before the network is asked.
  private func openCache() throws(MessageError) {
    _ = try parts.calls.dialect.historyRequest(group: parts.group, query: HistoryQuery())
    let values = try PeriodValues.present(in: parts.storage)
    state.withLock { $0.period = values?.period }
    // Whatever is wrong with it, a cache is no reason not to open the group.
    let cached = try? values?.value(CachedHistory.self, forKey: CachedHistory.key(parts.group))
    let unsent = try parts.outbox.unsent(in: parts.group)
    change { machine in
      machine.open(
        cached: cached?.history(of: parts.group) ?? [],
        me: parts.currentUser.known,
        unsent: unsent
      )
    }
    parts.outbox.startSending(parts.group)
  }

  /// Reads the newest page, and who the user is, both at once.
  private func openHistory() async throws(MessageError) {
    async let identified = identify()
    let query = try HistoryQuery()
    let page = try await retrying { [calls] () async throws(MessageError) in
      try await calls.history(group: parts.group, query: query)
    }
    change { $0.receive(newest: page) }
    try await identified.get()
    // The unsent ones that the page confirms are known now that it is known who has sent them.
    refreshUnsent()
    save()
    try await fillBridge()
  }

  private var calls: MessageCalls { parts.calls.inPeriod(state.withLock { $0.period }) }

  private func identify() async -> Result<Void, MessageError> {
    do throws(MessageError) {
      let me = try await retrying { () async throws(MessageError) in
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
      let page = try await retrying { [calls] () async throws(MessageError) in
        try await calls.history(group: parts.group, query: query)
      }
      if change({ $0.receive(page, for: query) }) { continue }
      triesLeft -= 1
      if triesLeft == 0 { return change { $0.giveUpBridge() } }
      await bell.wait(for: WatchMachine.patience, clock: parts.clock)
      if Task.isCancelled { throw .cancelled }
    }
  }

  /// Tries until it succeeds or fails for good, and shows meanwhile why it waits.
  private func retrying<Value>(
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
    bell.ring()
    parts.outbox.startSending(parts.group)
  }
}

// MARK: What happens

extension TimelineRun {
  private func receive(_ event: GroupEvent) {
    change { $0.receive(event, now: now()) }
    switch event {
    case .message: save()
    case .typing: watchExpiry()
    case .gap: break
    }
  }

  private func receive(_ event: OutboxNews.Event) {
    switch event {
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

  private func refreshUnsent() {
    guard let unsent = try? parts.outbox.unsent(in: parts.group) else { return }
    change { $0.show(unsent) }
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

// MARK: Storing

extension TimelineRun {
  /// Stores what is shown now or soon: not at each message, since each is a durable write.
  private func save() {
    state.withLock { state in
      state.isUnsaved = true
      guard state.saver == nil, state.end == nil else { return }
      state.saver = Task { [weak self, clock = parts.clock] in
        while await self?.saveIfNeeded() == true {
          guard (try? await clock.sleep(for: TimelineRun.savingTime)) != nil else { return }
        }
      }
    }
  }

  /// - Returns: whether there was something to store.
  @discardableResult
  private func saveIfNeeded() async -> Bool {
    let unsaved = state.withLock { state -> (ArraySlice<GroupMessage>, SessionPeriod)? in
      guard state.isUnsaved, state.machine.hasNewestPage, let period = state.period else {
        state.saver = nil
        return nil
      }
      state.isUnsaved = false
      return (state.machine.newestRun(CachedHistory.mostMessages), period)
    }
    guard let (messages, period) = unsaved else { return false }
    let values = PeriodValues(storage: parts.storage, period: period)
    // What cannot be stored is asked for again at the next opening.
    if let bytes = try? CachedHistory(messages).encoded() {
      try? await values.set(bytes, forKey: CachedHistory.key(parts.group))
    }
    return true
  }
}
