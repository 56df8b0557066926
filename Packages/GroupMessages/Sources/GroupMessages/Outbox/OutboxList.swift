/// The unsent messages of one group, in the order of writing: what is stored, and how it changes.
///
/// A pure value. Each change is one that any process may make of what it finds stored, so none of
/// them takes for granted that a message is still there.
struct OutboxList: StoredCollection {
  private(set) var entries: [OutboxEntry] = []

  init() {}

  init(_ entries: [OutboxEntry]) { self.entries = entries }

  var isEmpty: Bool { entries.isEmpty }

  /// The next message to send: the first that was not refused.
  var next: OutboxEntry? { entries.first { $0.refusal == nil } }

  func entry(_ clientMessageID: String) -> OutboxEntry? {
    entries.first { $0.clientMessageID == clientMessageID }
  }

  /// Adds a message at the end; one that is there already stays as it is.
  ///
  /// - Returns: false where there is no room.
  mutating func append(_ entry: OutboxEntry) -> Bool {
    if self.entry(entry.clientMessageID) != nil { return true }
    guard entries.count < Outbox.mostUnsent else { return false }
    entries.append(entry)
    return true
  }

  /// Takes away a message that the server has, or that the user gave up.
  ///
  /// - Returns: whether it was there.
  mutating func remove(_ clientMessageID: String) -> Bool {
    let count = entries.count
    entries.removeAll { $0.clientMessageID == clientMessageID }
    return entries.count < count
  }

  /// Marks a message as refused for good, or with nil as waiting again, in its old place.
  ///
  /// - Returns: whether it was there.
  mutating func mark(_ clientMessageID: String, refused: OutboxEntry.Refusal?) -> Bool {
    let place = entries.firstIndex { $0.clientMessageID == clientMessageID }
    guard let place else { return false }
    entries[place].refusal = refused
    return true
  }
}
