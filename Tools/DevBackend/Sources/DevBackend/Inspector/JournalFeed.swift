internal import Dispatch
internal import Synchronization

/// The journal as server-sent events, from a number on.
final class JournalFeed: ResponseFeed {
  private let journal: SessionJournal
  private let reader: (number: Int, bell: DispatchSemaphore)
  private let position: Mutex<Int>
  private let hasBegun = Mutex(false)

  /// Something is said at least so often, so that a browser that went is noticed.
  private static let heartbeat = 15

  /// Nil where too many browsers watch already.
  init?(_ journal: SessionJournal, after number: Int) {
    guard let reader = journal.addReader() else { return nil }
    (self.journal, self.reader) = (journal, reader)
    // After a restart numbers begin anew, and a browser may know a higher one.
    position = Mutex(min(number, journal.newest))
  }

  func next() -> [UInt8]? {
    // The headers leave with the first bytes.
    let isFirst = hasBegun.withLock { hasBegun in
      defer { hasBegun = true }
      return !hasBegun
    }
    if isFirst { return Array("retry: 1000\n\n".utf8) }
    while !journal.isClosed {
      let events = journal.events(after: position.withLock { $0 })
      if let last = events.last {
        position.withLock { $0 = last.number }
        return events.flatMap(Self.text)
      }
      if reader.bell.wait(timeout: .now() + .seconds(Self.heartbeat)) == .timedOut {
        return Array(": still here\n\n".utf8)
      }
    }
    return nil
  }

  func close() { journal.removeReader(reader.number) }

  private static func text(of event: SessionEvent) -> [UInt8] {
    Array("id: \(event.number)\ndata: ".utf8) + event.json.utf8 + Array("\n\n".utf8)
  }
}
