internal import Synchronization

/// A state that changes, for any number of observers: each gets the present one first, then every
/// change in order (R13).
package final class StateBroadcast<State: Sendable & Equatable>: Sendable {
  private struct Content {
    var current: State
    var isFinished = false
    var observers: [Int: AsyncStream<State>.Continuation] = [:]
    var hook: (@Sendable (State) -> Void)?
    var lastObserver = 0
  }

  private let content: Mutex<Content>

  package init(_ state: State) { content = Mutex(Content(current: state)) }

  package var current: State { content.withLock { $0.current } }

  package func publish(_ state: State) {
    content.withLock { content in
      guard !content.isFinished, content.current != state else { return }
      content.current = state
      // Under the lock, or two changes could overtake one another.
      for observer in content.observers.values { observer.yield(state) }
      content.hook?(state)
    }
  }

  /// Calls `hook` with the present state and with every change, in order, while they are published:
  /// it must be quick and may not come back here.
  ///
  /// There is one hook.
  package func observe(_ hook: @escaping @Sendable (State) -> Void) {
    content.withLock { content in
      content.hook = hook
      hook(content.current)
    }
  }

  /// Publishes the last state and ends every stream.
  package func finish(_ state: State) {
    publish(state)
    content.withLock { content in
      content.isFinished = true
      for observer in content.observers.values { observer.finish() }
      content.observers = [:]
    }
  }

  package func states() -> AsyncStream<State> {
    let (stream, observer) = AsyncStream.makeStream(of: State.self)
    content.withLock { content in
      observer.yield(content.current)
      if content.isFinished { return observer.finish() }
      content.lastObserver += 1
      let number = content.lastObserver
      content.observers[number] = observer
      observer.onTermination = { [weak self] _ in
        // In a task of its own: whoever cancels holds the lock of the task that reads, and whoever
        // yields to it waits for that lock with ours held.
        Task { self?.remove(number) }
      }
    }
    return stream
  }

  private func remove(_ number: Int) {
    content.withLock { _ = $0.observers.removeValue(forKey: number) }
  }
}
