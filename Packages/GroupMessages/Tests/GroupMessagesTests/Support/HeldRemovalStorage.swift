import GroupMessages

/// A storage in which whoever has taken the last message from an outbox waits at a gate, with the
/// store as it is then.
final class HeldRemovalStorage: MessageStorage {
  private let values = InMemoryMessageStorage()
  private let gate: Gate

  init(_ gate: Gate) { self.gate = gate }

  func period() -> SessionPeriod? { values.period() }

  func value(forKey key: String, in period: SessionPeriod) -> [UInt8]? {
    values.value(forKey: key, in: period)
  }

  func keys(in period: SessionPeriod) -> [String] { values.keys(in: period) }

  func update(
    _ key: String,
    in period: SessionPeriod,
    _ change: @escaping @Sendable ([UInt8]?) -> StoredValueChange
  ) async throws {
    try await values.update(key, in: period, change)
    let isRemoval = key.hasPrefix("outbox/") && value(forKey: key, in: period) == nil
    if isRemoval { await gate.pass() }
  }
}
