internal import Synchronization

extension Outbox {
  static let prefix = "outbox/"

  static func key(_ group: String) -> String { prefix + PercentEncoding.encode(group) }

  func list(of group: String, _ values: PeriodValues) throws(MessageError) -> OutboxList {
    try values.value(OutboxList.self, forKey: Outbox.key(group)) ?? OutboxList()
  }

  /// The unsent messages of a group as a timeline shows them: with those that are confirmed and
  /// that it was not told of, since nothing is to vanish before it comes back as sent.
  ///
  /// - Parameters:
  ///   - group: the group's id.
  ///   - values: of the period that the timeline was opened in.
  /// - Returns: them, in the order in which they go out, the failed ones in their old places.
  /// - Throws: `storage`.
  func shown(
    in group: String,
    _ values: PeriodValues
  ) throws(MessageError) -> [OwnSend] {
    let unsent = try list(of: group, values)
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

  static func groups(_ values: PeriodValues) throws(MessageError) -> [String] {
    try values.keys(withPrefix: prefix).compactMap {
      PercentEncoding.decode(String($0.dropFirst(prefix.count)))
    }
  }

  /// The values of the period that is signed in.
  ///
  /// - Throws: `sessionChanged` where nobody is, `storage`.
  func signedIn() throws(MessageError) -> PeriodValues {
    guard let values = try PeriodValues.present(in: storage) else { throw .sessionChanged }
    return values
  }

  func modify<Result: Sendable>(
    _ group: String,
    _ values: PeriodValues,
    _ body: @escaping @Sendable (inout OutboxList) -> Result
  ) async throws(MessageError) -> Result {
    try await values.modify(OutboxList.self, forKey: Outbox.key(group), body)
  }
}
