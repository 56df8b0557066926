import BenchKit
internal import CSQLCipher
import Synchronization

/// SQLCipher with a raw key, so that no derivation of one is measured; statements are prepared
/// once, the log is SQLite's WAL.
final class SQLCipherStore: ComparedStore {
  static let name = "SQLCipher"

  private let connection: Mutex<Connection>

  init(directory: String, cipher: String?) async throws {
    connection = try Mutex(Connection(directory + "/store.db"))
  }

  func fill(_ entries: Int) async throws {
    try connection.withLock { connection throws(Failure) in
      try connection.set(entries) {
        (Workload.key($0), Workload.text(Workload.tokenBytes, seed: $0))
      }
    }
  }

  func read(_ key: String) throws -> [UInt8] {
    try connection.withLock { connection throws(Failure) in try connection.get(key) }
  }

  func write(_ values: [(key: String, value: [UInt8])]) async throws {
    try connection.withLock { connection throws(Failure) in
      try connection.set(values.count) { values[$0] }
    }
  }
}
