import GroupMessages
import SecureStorage

/// What messages keep, in a store as apps have it.
struct BenchMessageStorage: MessageStorage {
  private let values: SessionValues

  init(_ store: SecureStore) { values = SessionValues(store: store) }

  func period() throws -> SessionPeriod? {
    try values.generation().map { SessionPeriod(generation: $0) }
  }

  func value(forKey key: String, in period: SessionPeriod) throws -> [UInt8]? {
    try values.data(forKey: key, of: period.generation)
  }

  func keys(in period: SessionPeriod) throws -> [String] {
    try values.keys(of: period.generation)
  }

  func update(
    _ key: String,
    in period: SessionPeriod,
    _ change: @escaping @Sendable ([UInt8]?) -> StoredValueChange
  ) async throws {
    _ = try await values.update(key, of: period.generation) { present in
      switch change(present) {
      case .keep: .keep
      case .set(let bytes): .set(bytes)
      case .remove: .remove
      }
    }
  }
}
