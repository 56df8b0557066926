/// Takes the session out of rows that were found in a damaged database.
///
/// A row's space may be the very thing that is damaged, so it alone says nothing: what lies where
/// the session's rows lie, between those of the spaces before and after it, is taken for the
/// session's, whatever it says of itself.
enum SessionFilter {
  private static let session = StoreNamespace.session.rawValue

  /// The rows of all sequences that are not the session's; of several of one name the first.
  static func rows(without sequences: [[SalvagedRow]]) -> [SalvagedRow] {
    var seen: Set<RowName> = []
    return sequences.flatMap { others(in: $0) }
      .filter { isPlausible($0) && seen.insert($0.rowName).inserted }
  }

  /// What lies outside the session's part of one sequence.
  private static func others(in rows: [SalvagedRow]) -> [SalvagedRow] {
    // As many rows as can be on the side that their space says; where that leaves a choice, the
    // session's part is the larger one.
    let start = split(rows, largest: false) { $0 < session }
    let end = max(start, split(rows, largest: true) { $0 <= session })
    var before = rows[..<start]
    while let last = before.last, let previous = before.dropLast().last,
      !SalvagedRow.isOrdered(previous, last)
    { before = before.dropLast() }
    var after = rows[end...]
    // Each space begins with its list, whose name is empty.
    while let first = after.first, first.space < StoreFormat.copyOffset, !first.name.isEmpty {
      after = after.dropFirst()
    }
    return Array(before) + after
  }

  /// The place that has the most rows on their side: those for which `isLow` before it.
  private static func split(
    _ rows: [SalvagedRow],
    largest: Bool,
    _ isLow: (UInt8) -> Bool
  ) -> Int {
    var wrong = rows.count { isLow($0.space) }
    var best = (place: 0, wrong: wrong)
    for (index, row) in rows.enumerated() {
      wrong += isLow(row.space) ? -1 : 1
      if wrong < best.wrong || (largest && wrong == best.wrong) { best = (index + 1, wrong) }
    }
    return best.place
  }

  /// Whether a row is one that a store has beside its session.
  private static func isPlausible(_ row: SalvagedRow) -> Bool {
    row.rowName.isKnown && !StoreNamespace.session.spaces.contains(row.space)
  }
}
