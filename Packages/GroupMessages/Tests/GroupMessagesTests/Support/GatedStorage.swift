import GroupMessages
import Synchronization

/// A storage in which one write of a history waits at a gate before it lands.
final class GatedStorage: MessageStorage {
  private struct State {
    var begun = 0
    var underWay = 0
    var mostAtOnce = 0
  }

  private let values = InMemoryMessageStorage()
  private let held: Int
  private let gate: Gate
  private let state = Mutex(State())
  /// How many writes of a history have landed.
  let landed = Gauge()

  /// - Parameters:
  ///   - held: how many writes of a history come before the one that waits.
  ///   - gate: where it waits.
  init(holding held: Int, at gate: Gate) { (self.held, self.gate) = (held, gate) }

  /// How many writes of a history have begun and not landed.
  var underWay: Int { state.withLock { $0.underWay } }
  /// The most writes of a history that there were at the same time.
  var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }

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
    guard key.hasPrefix("history/") else {
      return try await values.update(key, in: period, change)
    }
    let number = state.withLock { state in
      state.underWay += 1
      state.mostAtOnce = max(state.mostAtOnce, state.underWay)
      defer { state.begun += 1 }
      return state.begun
    }
    // In a task of its own, as a durable write goes on when its caller is cancelled.
    if number == held { await Task { await gate.pass() }.value }
    defer {
      state.withLock { $0.underWay -= 1 }
      landed.update { $0 += 1 }
    }
    try await values.update(key, in: period, change)
  }
}
