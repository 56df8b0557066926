@testable import SecureStorage

/// A store on the same files with nothing shared in memory, as another process has it.
enum OtherProcess {
  static func open(_ home: TemporaryHome, _ options: StoreOptions = StoreOptions()) async throws
    -> SecureStore
  {
    let engine = try SQLiteEngine(
      directory: home.store,
      lockDeadline: options.lockDeadline,
      durability: options.durability
    )
    return try await SecureStore.open(
      engine: engine,
      options: options,
      vault: FileVault(path: home.keyFile)
    )
  }
}
