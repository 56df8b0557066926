internal import Synchronization

/// Stores the cached histories: those of one group one after the other, in the order of asking.
///
/// All timelines share it, so that what an old one still has to store does not land on top of what
/// the next one of the same group has stored. A store is carried out whoever is cancelled: it may
/// be the last one before the process ends.
final class HistoryQueue: Sendable {
  private struct Last {
    let number: UInt64
    let store: Task<Bool, Never>
  }

  private struct State {
    var lasts: [String: Last] = [:]
    var count: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Takes a store into the queue.
  ///
  /// - Parameters:
  ///   - group: whose history it is.
  ///   - store: stores it as it is when its turn comes; says whether there was anything to store.
  /// - Returns: the store, which ends after all that were taken in before it.
  @discardableResult
  func add(_ group: String, _ store: @escaping @Sendable () async -> Bool) -> Task<Bool, Never> {
    state.withLock { state in
      state.count += 1
      let number = state.count
      let task = Task { [before = state.lasts[group]?.store] in
        _ = await before?.value
        defer { leave(group, number) }
        return await store()
      }
      state.lasts[group] = Last(number: number, store: task)
      return task
    }
  }

  private func leave(_ group: String, _ number: UInt64) {
    state.withLock { if $0.lasts[group]?.number == number { $0.lasts[group] = nil } }
  }
}
