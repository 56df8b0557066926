/// Which part of a group's history is asked for.
public struct HistoryQuery: Hashable, Sendable {
  /// How many messages one page may have.
  public static let limits = 1...200
  /// How many messages a page has unless the caller says otherwise.
  public static let defaultLimit = 50

  /// The sequence that the page ends before; nil is from the newest message on.
  public let before: UInt64?
  /// The most messages wanted, within ``limits``.
  public let limit: Int

  /// A query of checked parts.
  ///
  /// - Throws: ``MessageError/invalidInput(_:)`` where `limit` lies outside ``limits``, or no
  ///   message can come before `before`.
  public init(before: UInt64? = nil, limit: Int = defaultLimit) throws(MessageError) {
    guard HistoryQuery.limits.contains(limit) else { throw .invalidInput(.limit(limit)) }
    if let before, !GroupMessage.sequences.contains(before) {
      throw .invalidInput(.before(before))
    }
    self.before = before
    self.limit = limit
  }

  /// The query for the oldest part of a missing range, exactly: since sequences have no gaps,
  /// a page that ends before `lowest + n` and has `n` messages begins with the lowest.
  ///
  /// - Parameter range: sequences within ``GroupMessage/sequences``, the highest one excluded.
  init(oldestOf range: ClosedRange<UInt64>) {
    let length = min(
      range.upperBound - range.lowerBound,
      UInt64(HistoryQuery.limits.upperBound) - 1
    )
    before = range.lowerBound + length + 1
    limit = Int(length) + 1
  }

  init(uncheckedBefore before: UInt64?, limit: Int) {
    self.before = before
    self.limit = limit
  }
}
