internal import Synchronization

extension TimelineRun {
  /// Stores what is shown now or soon: not at each message, since each is a durable write.
  func save() {
    state.withLock { state in
      guard state.saver == nil, state.end == nil else { return }
      state.saver = Task { [weak self, clock = parts.clock] in
        while await self?.saveIfNeeded().value == true {
          guard (try? await clock.sleep(for: TimelineRun.savingTime)) != nil else { return }
        }
      }
    }
  }

  /// Stores what is not stored yet, after whatever store of the group is under way.
  ///
  /// - Returns: the store, which says whether there was something to store.
  @discardableResult
  func saveIfNeeded() -> Task<Bool, Never> {
    parts.queue.add(parts.group) { [self] in await storeUnsaved() }
  }

  private func storeUnsaved() async -> Bool {
    let unsaved = state.withLock { state -> (ArraySlice<GroupMessage>, PeriodValues)? in
      guard state.isUnsaved, state.machine.hasNewestPage, let values = state.values else {
        state.saver = nil
        return nil
      }
      state.isUnsaved = false
      return (state.machine.newestRun(CachedHistory.mostMessages), values)
    }
    guard let (messages, values) = unsaved else { return false }
    // What cannot be stored is asked for again at the next opening.
    if let bytes = try? CachedHistory(messages).encoded() {
      try? await values.set(bytes, forKey: CachedHistory.key(parts.group))
    }
    return true
  }
}
