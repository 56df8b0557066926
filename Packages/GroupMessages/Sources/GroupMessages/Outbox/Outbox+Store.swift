extension Outbox {
  static let prefix = "outbox/"

  static func key(_ group: String) -> String { prefix + PercentEncoding.encode(group) }

  func list(of group: String) throws(MessageError) -> OutboxList? {
    try PeriodValues.present(in: storage)?.value(OutboxList.self, forKey: Outbox.key(group))
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
