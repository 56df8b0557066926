import BenchKit
import SecureStorage
import SessionModels

/// Some measures of this store.
protocol StoreBench {
  /// What it is called in the output.
  var measures: [String] { get }

  /// Measures what is asked for, and prints it.
  func run() async throws
}

/// Stores as the benches make them: with a file vault, as the command line says.
struct BenchStores: Sendable {
  static let name = "SecureStorage"

  let options: Options
  let scratch: ScratchDirectory

  /// Opens a store in a directory of the run, or makes it.
  func open(_ name: String, _ change: (inout StoreOptions) -> Void = { _ in }) async throws
    -> SecureStore
  {
    var storeOptions = StoreOptions()
    if let cipher = options.cipher { storeOptions.cipher = CipherName(rawValue: cipher) }
    change(&storeOptions)
    return try await ComparedSecureStore.open(scratch.path(name), storeOptions)
  }

  /// Makes entries of so many bytes.
  static func fill(_ store: SecureStore, _ entries: Int, bytes: Int) async throws {
    try await store.transaction { transaction throws(StorageError) in
      for index in 0..<entries {
        let value = Secret(bytes: Workload.text(bytes, seed: index))
        try transaction.set(value, forKey: Workload.key(index))
      }
    }
  }
}
