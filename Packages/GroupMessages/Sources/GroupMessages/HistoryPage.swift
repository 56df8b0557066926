/// A part of a group's history, oldest message first.
public struct HistoryPage: Hashable, Sendable {
  /// The messages, in ascending order of their sequences, none twice.
  public let messages: [GroupMessage]
  /// Whether the group has messages older than these.
  public let hasMore: Bool

  /// A page of messages in any order; of two with one sequence the first is kept.
  public init(messages: [GroupMessage], hasMore: Bool) {
    var seen: Set<UInt64> = []
    self.messages =
      messages.filter { seen.insert($0.sequence).inserted }.sorted { $0.sequence < $1.sequence }
    self.hasMore = hasMore
  }
}
