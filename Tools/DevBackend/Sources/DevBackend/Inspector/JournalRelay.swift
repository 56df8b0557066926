internal import Dispatch
internal import Synchronization

/// Tells the other instances what happened to sessions here, for their inspectors.
///
/// What happens within a moment is told together, so that it costs the bus next to nothing; what is
/// too much for that is left out, since the journal is there to be looked at, and decides nothing.
final class JournalRelay: Sendable {
  /// So many go together; more are left out.
  static let capacity = 200

  private let pending = Mutex<[JournalNote]>([])
  private let queue = DispatchQueue(label: "dev-backend.journal", target: .global())
  private let pause: DispatchTimeInterval
  private let publish: @Sendable ([JournalNote]) -> Void

  /// One with nothing to tell yet.
  ///
  /// - Parameters:
  ///   - pause: so long notes wait for others to go with them.
  ///   - publish: tells them.
  init(
    pause: DispatchTimeInterval = .milliseconds(200),
    _ publish: @escaping @Sendable ([JournalNote]) -> Void
  ) {
    (self.pause, self.publish) = (pause, publish)
  }

  /// Takes down what a log line tells about a session.
  func note(_ line: BackendLogLine) {
    guard let note = JournalNote(line) else { return }
    let isFirst = pending.withLock { pending in
      if pending.count < Self.capacity { pending.append(note) }
      return pending.count == 1
    }
    if isFirst { queue.asyncAfter(deadline: .now() + pause) { [weak self] in self?.tell() } }
  }

  /// Tells what waits; blocks for as long as that takes.
  func tell() {
    let notes = pending.withLock { pending in
      defer { pending = [] }
      return pending
    }
    if !notes.isEmpty { publish(notes) }
  }
}
