internal import Synchronization

/// One session slot's observers, and its record as last seen.
///
/// Order: a state is told only if it is of a later generation than the one told before, so that
/// our own commits and the watcher of other processes' can both tell.
final class SessionHub: Sendable {
  typealias Reading = Result<SessionRecord, StorageError>

  fileprivate struct State {
    var published: Reading?
    var generation: UInt64 = 0
    var nextID = 0
    var observers: [Int: AsyncStream<Reading>.Continuation] = [:]
    /// The record in memory, and the stamp that it is the last one for.
    var cached: (record: SessionRecord, stamp: UInt64)?
  }

  private let state = Mutex(State())

  /// The record in memory, where nothing was committed since.
  func cached(_ stamp: UInt64) -> SessionRecord? {
    state.withLock { state in
      guard let cached = state.cached, cached.stamp == stamp, stamp.isMultiple(of: 2) else {
        return nil
      }
      return cached.record
    }
  }

  func keep(_ record: SessionRecord, _ stamp: UInt64) {
    state.withLock { $0.cached = (record, stamp) }
  }

  func forget() { state.withLock { $0.cached = nil } }

  /// Tells a committed state, unless a later one was told already.
  func publish(_ reading: Reading, generation: UInt64) {
    state.withLock { $0.publish(reading, generation) }
  }

  /// Reads the present state and tells it where it differs.
  func refresh(_ read: () -> (reading: Reading, generation: UInt64?)) {
    state.withLock { state in
      let (reading, generation) = read()
      state.publish(reading, generation ?? state.generation + 1)
    }
  }

  /// A new observer, which gets the present state first.
  func subscribe(
    _ read: () -> (reading: Reading, generation: UInt64?)
  ) -> (stream: AsyncStream<Reading>, id: Int, continuation: AsyncStream<Reading>.Continuation) {
    let (stream, continuation) = AsyncStream<Reading>.makeStream()
    let id = state.withLock { state in
      let (reading, generation) = read()
      state.publish(reading, generation ?? state.generation + 1)
      state.nextID += 1
      state.observers[state.nextID] = continuation
      continuation.yield(state.published ?? reading)
      return state.nextID
    }
    return (stream, id, continuation)
  }

  func unsubscribe(_ id: Int) {
    state.withLock { state in _ = state.observers.removeValue(forKey: id) }
  }
}

extension SessionHub.State {
  mutating func publish(_ reading: SessionHub.Reading, _ generation: UInt64) {
    guard generation > self.generation || published == nil else { return }
    self.generation = max(generation, self.generation)
    guard reading != published else { return }
    published = reading
    for observer in observers.values { observer.yield(reading) }
  }
}
