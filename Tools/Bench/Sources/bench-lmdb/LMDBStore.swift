import BenchKit
internal import CLMDB
import Synchronization

/// LMDB, which does not encrypt: what a mapped file can do; its reading transaction is renewed
/// for each read, so that it sees the last commit.
final class LMDBStore: ComparedStore {
  static let name = "LMDB"

  private let environment: Mutex<Environment>

  init(directory: String, cipher: String?) async throws {
    environment = try Mutex(Environment(directory))
  }

  func fill(_ entries: Int) async throws {
    try environment.withLock { environment throws(Failure) in
      try environment.set(entries) {
        (Workload.key($0), Workload.text(Workload.tokenBytes, seed: $0))
      }
    }
  }

  func read(_ key: String) throws -> [UInt8] {
    try environment.withLock { environment throws(Failure) in try environment.get(key) }
  }

  func write(_ values: [(key: String, value: [UInt8])]) async throws {
    try environment.withLock { environment throws(Failure) in
      try environment.set(values.count) { values[$0] }
    }
  }
}
