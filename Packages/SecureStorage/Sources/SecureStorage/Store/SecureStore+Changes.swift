extension SecureStore {
  /// Each commit from now on, of this and of other processes, in order.
  ///
  /// Several commits of another process may come as one element.
  ///
  /// - Returns: A stream that ends when it is dropped or its task is cancelled.
  public func changes() -> AsyncStream<StoreChange> {
    let (stream, continuation) = AsyncStream<StoreChange>.makeStream()
    let id = observe { continuation.yield($0) }
    continuation.onTermination = { [changeLog] _ in
      // In a task of its own: whoever cancels holds the lock of the task that reads, and whoever
      // yields to it waits for that lock with ours held.
      Task { changeLog.remove(id) }
    }
    return stream
  }

  /// Calls `observer` after each commit; ends with `changeLog.remove(_:)`.
  func observe(_ observer: @escaping @Sendable (StoreChange) -> Void) -> Int {
    engine.observe { [weak self] in self?.lookForChanges() }
    if let generation = try? currentGeneration() { changeLog.begin(at: generation) }
    return changeLog.add(observer)
  }

  private func lookForChanges() {
    // What cannot be read now is read at the next change; reads report their failures anyway.
    guard let generation = try? currentGeneration() else { return }
    publish(generation, Set(StoreNamespace.allCases))
  }

  private func currentGeneration() throws(StorageError) -> UInt64 {
    try engine.read { reader throws(StorageError) in reader.generation }
  }
}
