internal import Synchronization

/// Hands elements from one task to another, a few at a time: a full box makes the writer wait.
///
/// One writer, one reader. The reader looks with `take()` and waits with `wait()`; `ring()`
/// ends a wait without an element, which is how a deadline comes in.
final class Mailbox<Element: Sendable>: Sendable {
  enum Content: Sendable {
    case element(Element)
    case ended((any Error)?)
  }

  private struct State {
    var elements: [Element] = []
    var end: Content?
    var isClosed = false
    var isRung = false
    var reader: CheckedContinuation<Void, Never>?
    var writer: CheckedContinuation<Void, Never>?

    mutating func takeReader() -> CheckedContinuation<Void, Never>? {
      defer { reader = nil }
      return reader
    }
  }

  private let capacity: Int
  private let state = Mutex(State())

  init(capacity: Int) { self.capacity = max(1, capacity) }

  /// Puts an element in, waiting while the box is full.
  ///
  /// - Returns: false where the reader has gone.
  func put(_ element: Element) async -> Bool {
    await withCheckedContinuation { writer in
      let isFull = state.withLock { state in
        guard state.elements.count >= capacity, !state.isClosed else { return false }
        state.writer = writer
        return true
      }
      if !isFull { writer.resume() }
    }
    let (isOpen, reader) = state.withLock { state in
      guard !state.isClosed else { return (false, state.takeReader()) }
      state.elements.append(element)
      return (true, state.takeReader())
    }
    reader?.resume()
    return isOpen
  }

  /// Says that nothing follows.
  func finish(_ error: (any Error)?) {
    let reader = state.withLock { state in
      if state.end == nil { state.end = .ended(error) }
      return state.takeReader()
    }
    reader?.resume()
  }

  /// The next element, or the end after the last one; nil where there is nothing yet.
  func take() -> Content? {
    let (content, writer) = state.withLock { state in
      guard !state.elements.isEmpty else {
        return (state.end, nil as CheckedContinuation<Void, Never>?)
      }
      defer { state.writer = nil }
      return (.element(state.elements.removeFirst()), state.writer)
    }
    writer?.resume()
    return content
  }

  /// Waits until there is something to take, somebody rings, or the task is cancelled.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        let isOver = state.withLock { state in
          if !state.elements.isEmpty || state.end != nil || state.isRung || Task.isCancelled {
            state.isRung = false
            return true
          }
          state.reader = reader
          return false
        }
        if isOver { reader.resume() }
      }
    } onCancel: {
      ring()
    }
  }

  /// As ``wait()``, and no longer than this.
  func wait(for delay: Duration, clock: any Clock<Duration>) async {
    let alarm = Task {
      // A cancelled alarm must not ring: it is for a wait that is over.
      if (try? await clock.sleep(for: delay)) != nil { ring() }
    }
    await wait()
    alarm.cancel()
  }

  /// Ends the present wait, or else the next one.
  func ring() {
    let reader = state.withLock { state in
      let reader = state.takeReader()
      if reader == nil { state.isRung = true }
      return reader
    }
    reader?.resume()
  }

  /// Drops everything; the writer learns at its next, or present, `put(_:)`.
  func close() {
    let writer = state.withLock { state in
      state.isClosed = true
      state.elements = []
      defer { state.writer = nil }
      return state.writer
    }
    writer?.resume()
  }
}
