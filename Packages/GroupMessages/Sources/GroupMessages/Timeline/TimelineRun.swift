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
    let queue: HistoryQueue
    let clock: any Clock<Duration>
    let chance: @Sendable () -> Double
  }

  struct State {
    var machine = TimelineMachine()
    /// Of the period that it was opened in, and that it ends with.
    var values: PeriodValues?
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

    var period: SessionPeriod? { values?.period }
  }

  /// How long stored messages may lie behind what is shown.
  static let savingTime = Duration.seconds(5)
  /// How often others are told that the user is writing.
  static let typingTime = Duration.seconds(3)
  /// How often the history is asked for a hole that it does not fill.
  static let mostTries = 3

  let parts: Parts
  let now: @Sendable () -> Duration
  /// Rung where there is reason to try again at once; one for each of the two that may wait.
  let (pageBell, userBell) = (Bell(), Bell())
  let state = Mutex(State())
  /// Held from reading the unsent messages until they are shown, so that no older list comes last.
  let refreshing = Mutex(())

  init(_ parts: Parts) {
    self.parts = parts
    now = stopwatch(of: parts.clock)
  }

  var snapshot: TimelineSnapshot {
    endIfSessionChanged()
    return state.withLock { $0.machine.snapshot }
  }
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
  func endIfSessionChanged() {
    guard let period = state.withLock({ $0.hasStarted ? $0.period : nil }) else { return }
    do {
      guard try parts.storage.period() != period else { return }
    } catch {
      // A store that cannot be read just now says nothing of the session (R14).
      return
    }
    finish(.failure(.sessionChanged), showing: TimelineMachine())
  }

  /// Changes what is shown, and tells the readers.
  ///
  /// - Parameters:
  ///   - isToBeStored: whether it is worth a store. It is noted together with the change: whoever
  ///     has seen that may close the timeline the moment after. What comes after the end is not,
  ///     or it would be stored when ``close()`` has returned.
  ///   - body: the change.
  /// - Returns: what `body` returned.
  func change<Value>(
    toBeStored isToBeStored: Bool = false,
    _ body: (inout TimelineMachine) -> Value
  ) -> Value {
    let (value, readers) = state.withLock { state -> (Value, [WaitingReaders.Reader]) in
      let value = body(&state.machine)
      guard state.end == nil else { return (value, []) }
      if isToBeStored { state.isUnsaved = true }
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

  func finish(
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
      if news.group == group { self?.receive(news) }
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
    saveIfNeeded()
  }

  /// Ends it, and returns when all is stored that was to be, by whichever task.
  func close() async {
    finish(.success(()))
    _ = await saveIfNeeded().value
  }
}
