/// Those who wait for what happens on a connection, to be resumed when its lock is free again.
///
/// Whoever is resumed mostly wants that lock at once, and would spin or sleep for it.
struct Wakes: Sendable {
  private var waiting: [CheckedContinuation<Void, Never>] = []

  mutating func add(_ one: CheckedContinuation<Void, Never>?) {
    if let one { waiting.append(one) }
  }

  mutating func add(_ some: [CheckedContinuation<Void, Never>]) {
    waiting.append(contentsOf: some)
  }

  /// Resumes all, in the order in which they were added.
  func resume() {
    for one in waiting { one.resume() }
  }
}
