@testable import GroupMessages

/// The plainest server there is: messages by number, some of them lost.
struct PlainHistory {
  var newest: UInt64
  var lost: Set<UInt64> = []

  func page(_ query: HistoryQuery) -> HistoryPage {
    let before = query.before ?? newest + 1
    let there = (1...newest).filter { $0 < before && !lost.contains($0) }
    return HistoryPage(
      messages: there.suffix(query.limit).map { .fixture($0) },
      hasMore: there.count > query.limit
    )
  }
}
