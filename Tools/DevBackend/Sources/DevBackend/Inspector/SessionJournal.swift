internal import Dispatch
internal import Synchronization

/// The last things that happened to sessions, in memory: what this instance did since its start, and
/// what others told it meanwhile.
///
/// It reads the log lines, so that nothing can be decided without being shown.
final class SessionJournal: Sendable {
  private struct State {
    var events: [SessionEvent] = []
    var nextNumber = 1
    var readers: [Int: DispatchSemaphore] = [:]
    var nextReader = 0
    var isClosed = false
  }

  /// Older events than so many are forgotten.
  static let capacity = 10_000

  /// So many browsers may watch at once, each of which costs a thread.
  static let maximumReaders = 16

  private let state = Mutex(State())

  /// Takes down what a log line tells about a session.
  func note(_ line: BackendLogLine) { add { SessionEvent(line, number: $0) } }

  /// Takes down what other instances tell.
  func hear(_ notes: [JournalNote]) {
    for note in notes { add { SessionEvent(note, number: $0) } }
  }

  private func add(_ make: (_ number: Int) -> SessionEvent?) {
    let readers = state.withLock { state in
      guard let event = make(state.nextNumber) else { return [DispatchSemaphore]() }
      state.nextNumber += 1
      state.events.append(event)
      // In steps, so that forgetting costs next to nothing.
      if state.events.count >= Self.capacity + 1_000 { state.events.removeFirst(1_000) }
      return Array(state.readers.values)
    }
    for reader in readers { reader.signal() }
  }

  /// The events after a number, oldest first.
  func events(after number: Int = 0) -> [SessionEvent] {
    state.withLock { state in
      guard let first = state.events.first?.number else { return [] }
      return Array(state.events.dropFirst(max(0, number + 1 - first)).suffix(Self.capacity))
    }
  }

  /// The number of the newest event; 0 before the first.
  var newest: Int { state.withLock { $0.nextNumber - 1 } }

  /// A semaphore that is signalled at each event; nil where too many read already.
  func addReader() -> (number: Int, bell: DispatchSemaphore)? {
    state.withLock { state in
      guard state.readers.count < Self.maximumReaders, !state.isClosed else { return nil }
      state.nextReader += 1
      let bell = DispatchSemaphore(value: 0)
      state.readers[state.nextReader] = bell
      return (state.nextReader, bell)
    }
  }

  func removeReader(_ number: Int) { state.withLock { _ = $0.readers.removeValue(forKey: number) } }

  /// Whether readers are to go.
  var isClosed: Bool { state.withLock(\.isClosed) }

  /// Sends all readers away, and takes none until ``reopen()``.
  func close() {
    let readers = state.withLock { state in
      state.isClosed = true
      return Array(state.readers.values)
    }
    for reader in readers { reader.signal() }
  }

  func reopen() { state.withLock { $0.isClosed = false } }
}
