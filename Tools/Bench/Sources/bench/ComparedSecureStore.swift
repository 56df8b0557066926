import BenchKit
import SecureStorage
import SessionModels

/// This store, doing the work that all of them do.
final class ComparedSecureStore: ComparedStore {
  static let name = BenchStores.name

  private let store: SecureStore

  init(directory: String, cipher: String?) async throws {
    var options = StoreOptions()
    if let cipher { options.cipher = CipherName(rawValue: cipher) }
    store = try await ComparedSecureStore.open(directory + "/store", options)
  }

  static func open(_ directory: String, _ options: StoreOptions) async throws -> SecureStore {
    try await SecureStore.open(
      at: directory,
      options: options,
      vault: FileVault(path: directory + "/store.key")
    )
  }

  func fill(_ entries: Int) async throws {
    try await BenchStores.fill(store, entries, bytes: Workload.tokenBytes)
  }

  func read(_ key: String) throws -> [UInt8] {
    guard let bytes = try store.data(forKey: key) else { throw Failure("\(key) is not there") }
    return bytes
  }

  func write(_ values: [(key: String, value: [UInt8])]) async throws {
    let values = values.map { (key: $0.key, value: Secret(bytes: $0.value)) }
    try await store.transaction { transaction throws(StorageError) in
      for (key, value) in values { try transaction.set(value, forKey: key) }
    }
  }
}
