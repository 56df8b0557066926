/// Names a timer of an ``EventLoop``.
public struct TimerID: Hashable, Sendable {
  let number: UInt64
}

/// The timers of a loop, earliest first: a binary heap, in which cancelled ones stay until they
/// come up or make up most of it.
struct TimerQueue {
  private struct Entry {
    let deadline: ContinuousClock.Instant
    let number: UInt64
  }

  private var heap: [Entry] = []
  private var bodies: [UInt64: @Sendable () -> Void] = [:]
  private var lastNumber: UInt64 = 0

  /// The deadline of the earliest live timer.
  mutating func earliest() -> ContinuousClock.Instant? {
    while let first = heap.first {
      if bodies[first.number] != nil { return first.deadline }
      removeFirst()
    }
    return nil
  }

  mutating func insert(
    _ deadline: ContinuousClock.Instant,
    _ body: @escaping @Sendable () -> Void
  ) -> TimerID {
    lastNumber += 1
    bodies[lastNumber] = body
    heap.append(Entry(deadline: deadline, number: lastNumber))
    siftUp(heap.count - 1)
    return TimerID(number: lastNumber)
  }

  mutating func cancel(_ timer: TimerID) {
    bodies[timer.number] = nil
    // A client that makes thousands of calls a second, each with a long deadline, must not
    // carry the dead timers of the last minute.
    guard heap.count > 64, heap.count > 4 * bodies.count else { return }
    heap = heap.filter { bodies[$0.number] != nil }.sorted { $0.deadline < $1.deadline }
  }

  /// Takes the bodies that are due.
  mutating func takeDue(at now: ContinuousClock.Instant) -> [@Sendable () -> Void] {
    var due: [@Sendable () -> Void] = []
    while let first = heap.first, first.deadline <= now {
      removeFirst()
      if let body = bodies.removeValue(forKey: first.number) { due.append(body) }
    }
    return due
  }

  private mutating func removeFirst() {
    let last = heap.removeLast()
    if heap.isEmpty { return }
    heap[0] = last
    siftDown(0)
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].deadline < heap[parent].deadline else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func siftDown(_ start: Int) {
    var parent = start
    while true {
      var smallest = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if heap[child].deadline < heap[smallest].deadline { smallest = child }
      }
      if smallest == parent { return }
      heap.swapAt(parent, smallest)
      parent = smallest
    }
  }
}
