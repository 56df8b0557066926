#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Synchronization

/// The values of one signed-in period, typed, every error one of ours.
struct PeriodValues: Sendable {
  let storage: any MessageStorage
  let period: SessionPeriod

  /// The values of the period that is stored now.
  ///
  /// - Returns: nil where nobody is signed in.
  static func present(in storage: any MessageStorage) throws(MessageError) -> PeriodValues? {
    do {
      return try storage.period().map { PeriodValues(storage: storage, period: $0) }
    } catch {
      throw MessageError(storageError: error)
    }
  }

  /// Whether the period is still the present one; what cannot be read is not.
  var isPresent: Bool { (try? storage.period()) == period }

  /// Why it is not the present one: it is over, or the store does not say.
  var absence: MessageError {
    do {
      _ = try storage.period()
      return .sessionChanged
    } catch {
      return MessageError(storageError: error)
    }
  }

  func bytes(forKey key: String) throws(MessageError) -> [UInt8]? {
    do {
      return try storage.value(forKey: key, in: period)
    } catch {
      throw MessageError(storageError: error)
    }
  }

  func keys(withPrefix prefix: String) throws(MessageError) -> [String] {
    do {
      return try storage.keys(in: period).filter { $0.hasPrefix(prefix) }
    } catch {
      throw MessageError(storageError: error)
    }
  }

  /// A value of JSON; nil where there is none.
  ///
  /// - Throws: `storage` for one of another form, which only another version can have written.
  func value<Value: Decodable>(
    _ type: Value.Type,
    forKey key: String
  ) throws(MessageError) -> Value? {
    guard let bytes = try bytes(forKey: key) else { return nil }
    return try Self.decoded(bytes)
  }

  func set(_ bytes: [UInt8], forKey key: String) async throws(MessageError) {
    try await update(key) { _ in .set(bytes) }
  }

  /// Changes a value of JSON that is removed when it is empty, in one transaction.
  ///
  /// - Returns: what `body` returned.
  /// - Throws: `sessionChanged`, `storage`; what `body` returned is lost then.
  func modify<Value: StoredCollection, Result: Sendable>(
    _ type: Value.Type,
    forKey key: String,
    _ body: @escaping @Sendable (inout Value) -> Result
  ) async throws(MessageError) -> Result {
    let outcome = Mutex<Swift.Result<Result, MessageError>?>(nil)
    try await update(key) { present in
      do throws(MessageError) {
        let before: Value =
          try present.map { bytes throws(MessageError) in
            try Self.decoded(bytes)
          } ?? Value()
        var after = before
        let result = body(&after)
        outcome.withLock { $0 = .success(result) }
        if after == before { return .keep }
        return after.isEmpty ? .remove : .set(try Self.encoded(after))
      } catch {
        outcome.withLock { $0 = .failure(error) }
        return .keep
      }
    }
    guard let result = outcome.withLock({ $0 }) else {
      throw .storage(StoredFormError(detail: "the transaction was not carried out"))
    }
    return try result.get()
  }

  private func update(
    _ key: String,
    _ change: @escaping @Sendable ([UInt8]?) -> StoredValueChange
  ) async throws(MessageError) {
    do {
      try await storage.update(key, in: period, change)
    } catch {
      throw MessageError(storageError: error)
    }
  }

  private static func decoded<Value: Decodable>(_ bytes: [UInt8]) throws(MessageError) -> Value {
    do {
      return try JSONDecoder().decode(Value.self, from: Data(bytes))
    } catch {
      throw .storage(
        StoredFormError(detail: "a stored value has a form that this build does not know")
      )
    }
  }

  static func encoded(_ value: some Encodable) throws(MessageError) -> [UInt8] {
    do {
      return [UInt8](try JSONEncoder().encode(value))
    } catch {
      throw .storage(error)
    }
  }
}

/// A stored value that is as good as none when it is empty.
protocol StoredCollection: Codable, Equatable, Sendable {
  init()
  var isEmpty: Bool { get }
}

/// A stored value that cannot be read.
struct StoredFormError: Error, CustomStringConvertible {
  let detail: String

  var description: String { "The stored messages cannot be read: \(detail)" }
}
