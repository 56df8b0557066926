internal import SessionModels

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A session on its way from one store to another, beside the target's own and used by nobody.
struct ParkedSession: Codable, Sendable {
  /// Where it lies in the session's namespace: a sign-out wipes it as well.
  static let key = "session.parked"

  /// What the names of the session's values begin with, as long as they are parked.
  static let valuePrefix = "parked."

  /// The record, as it was in the source.
  let record: SessionRecord
  /// The generation that the source has once it has given the session up.
  let successor: UInt64

  init(record: SessionRecord, successor: UInt64) {
    self.record = record
    self.successor = successor
  }

  init(encoded: Secret) throws(StorageError) {
    var bytes = encoded.withBytes { Data($0) }
    defer { bytes.resetBytes(in: 0..<bytes.count) }
    do {
      self = try JSONDecoder().decode(ParkedSession.self, from: bytes)
    } catch {
      throw .newerFormat("The session that is being moved has a form that this build does not know")
    }
  }

  func encoded() throws(StorageError) -> Secret {
    do {
      var bytes = try JSONEncoder().encode(self)
      defer { bytes.resetBytes(in: 0..<bytes.count) }
      return Secret(bytes: bytes)
    } catch {
      throw .invalidInput(
        "The session cannot be written as JSON",
        advice: "A date or number in it is not finite."
      )
    }
  }
}

extension ParkedSession {
  /// Gives the parked values to the session that is taken into use.
  static func useValues(
    for generation: UInt64,
    in transaction: inout StoreTransaction
  ) throws(StorageError) {
    for name in try transaction.keys(in: .session) where name.hasPrefix(valuePrefix) {
      guard let value = try transaction.secret(forKey: name, in: .session) else { continue }
      let key = String(name.dropFirst(valuePrefix.count))
      try transaction.set(value, forKey: SessionValues.name(key, generation), in: .session)
    }
  }

  static func removeValues(in transaction: inout StoreTransaction) throws(StorageError) {
    for name in try transaction.keys(in: .session) where name.hasPrefix(valuePrefix) {
      try transaction.remove(name, in: .session)
    }
  }
}
