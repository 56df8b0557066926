internal import Synchronization

extension Outbox {
  static let prefix = "outbox/"

  static func key(_ group: String) -> String { prefix + PercentEncoding.encode(group) }

  func list(of group: String) throws(MessageError) -> OutboxList? {
    try PeriodValues.present(in: storage)?.value(OutboxList.self, forKey: Outbox.key(group))
  }

  /// The unsent messages of a group as a timeline shows them: with those that are confirmed and
  /// that it was not told of, since nothing is to vanish before it comes back as sent.
  func shown(in group: String) throws(MessageError) -> [OwnSend] {
    guard let values = try PeriodValues.present(in: storage) else { return [] }
    let unsent = try values.value(OutboxList.self, forKey: Outbox.key(group)) ?? OutboxList()
    // After the list: what has left it meanwhile is here, or somebody was told of it.
    let confirmed = state.withLock { state in
      state.period == values.period ? state.confirmed[group] ?? [] : []
    }
    var shown = unsent.entries
    shown.insert(
      contentsOf: confirmed.filter { unsent.entry($0.clientMessageID) == nil },
      at: shown.firstIndex { $0.refusal == nil } ?? shown.endIndex
    )
    return shown.map(\.ownSend)
  }

  func groups() throws(MessageError) -> [String] {
    try PeriodValues.present(in: storage).map { values throws(MessageError) in
      try Outbox.groups(values)
    } ?? []
  }

  static func groups(_ values: PeriodValues) throws(MessageError) -> [String] {
    try values.keys(withPrefix: prefix).compactMap {
      PercentEncoding.decode(String($0.dropFirst(prefix.count)))
    }
  }

  func modify<Result: Sendable>(
    _ group: String,
    _ body: @escaping @Sendable (inout OutboxList) -> Result
  ) async throws(MessageError) -> Result {
    guard let values = try PeriodValues.present(in: storage) else { throw .sessionChanged }
    return try await values.modify(OutboxList.self, forKey: Outbox.key(group), body)
  }
}
