import GroupMessages

/// A storage in which whoever takes the last message from an outbox waits at a gate, before that or
/// with the store as it is after it.
final class HeldRemovalStorage: MessageStorage {
  private let values = InMemoryMessageStorage()
  private let gate: Gate
  private let isHeldBefore: Bool

  init(_ gate: Gate, before isHeldBefore: Bool = false) {
    (self.gate, self.isHeldBefore) = (gate, isHeldBefore)
  }

  func begin(_ period: SessionPeriod?) { values.begin(period) }

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
    if isHeldBefore, key.hasPrefix("outbox/"),
      case .remove = change(value(forKey: key, in: period))
    {
      // In a task of its own, as a durable write goes on when its caller is cancelled.
      await Task { await gate.pass() }.value
    }
    try await values.update(key, in: period, change)
    let isRemoval = key.hasPrefix("outbox/") && value(forKey: key, in: period) == nil
    if isRemoval, !isHeldBefore { await gate.pass() }
  }
}
