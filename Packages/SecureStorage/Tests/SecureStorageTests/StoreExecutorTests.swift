import SecureStorageTesting
import SessionModels
import Testing

@testable import SecureStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Tasks on a store's own thread.
@Suite(.timeLimit(.minutes(5))) struct StoreExecutorTests {
  private let home = TemporaryHome()

  private static var thread: pthread_t { pthread_self() }

  /// Where a transaction's body runs.
  private static func thread(
    ofTransactionIn store: SecureStore
  ) async throws(StorageError) -> pthread_t {
    try await store.transaction { transaction throws(StorageError) in
      try transaction.set("1", forKey: "a")
      return thread
    }
  }

  @Test(arguments: [Durability.full, .normal])
  func `a task stays on the thread from one change to the next`(
    durability: Durability
  ) async throws {
    let store = try await home.open(StoreOptions(durability: durability))
    try await withTaskExecutorPreference(store.executor) { () async throws in
      for _ in 0..<3 {
        let before = Self.thread
        #expect(try await Self.thread(ofTransactionIn: store) == before)
        #expect(Self.thread == before)
      }
    }
    store.close()
    #expect(try await home.open().string(forKey: "a") == "1")
  }

  private static func setBlocking(_ value: String, _ store: SecureStore) throws {
    try store.transactionBlocking { transaction throws(StorageError) in
      try transaction.set(value, forKey: "a")
    }
  }

  @Test func `a blocking transaction does not wait there for itself`() async throws {
    let store = try await home.open()
    try await withTaskExecutorPreference(store.executor) { () async throws in
      try Self.setBlocking("2", store)
    }
    #expect(try store.string(forKey: "a") == "2")
  }

  @Test func `of tasks there and elsewhere none loses another's changes`() async throws {
    let store = try await home.open()
    try await store.set("0", forKey: "sum")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask(executorPreference: number % 2 == 0 ? store.executor : nil) {
          for _ in 0..<5 {
            try await store.transaction { transaction throws(StorageError) in
              let sum = try transaction.string(forKey: "sum").flatMap { Int($0) } ?? 0
              try transaction.set("\(sum + 1)", forKey: "sum")
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try store.string(forKey: "sum") == "40")
  }

  @Test func `what throws there changes nothing, and the next one goes on`() async throws {
    let store = try await home.open()
    try await withTaskExecutorPreference(store.executor) { () async throws in
      try await store.set("1", forKey: "a")
      await expect(.busy) {
        try await store.transaction { transaction throws(StorageError) in
          try transaction.set("2", forKey: "a")
          throw StorageError(.busy, "given up", advice: "")
        }
      }
      #expect(try store.string(forKey: "a") == "1")
      try await store.set("3", forKey: "a")
    }
    #expect(try store.string(forKey: "a") == "3")
  }

  @Test func `everything else that writes can be called there`() async throws {
    let store = try await home.open()
    let sessions = SecureSessionStorage(store: store)
    try await withTaskExecutorPreference(store.executor) { () async throws in
      try await store.set("1", forKey: "a")
      try await sessions.setAuthInfo(SecureSessionStorageTests.info())
      _ = try await store.rekey()
      try await sessions.wipe(reason: .userRequested)
      try await store.remove("a")
      let verified = try await store.verify()
      #expect(verified.damaged == [])
      store.close()
      await expect(.misuse) { try await store.set("2", forKey: "a") }
    }
    let again = try await home.open()
    #expect(try again.string(forKey: "a") == nil)
    #expect(try SecureSessionStorage(store: again).record().authInfo == nil)
  }

  @Test func `a task there may write to another store, too`() async throws {
    let store = try await home.open()
    let otherHome = TemporaryHome()
    let other = try await otherHome.open()
    try await withTaskExecutorPreference(store.executor) { () async throws in
      try await other.set("1", forKey: "b")
      try Self.setBlocking("2", other)
      try await store.set("3", forKey: "a")
    }
    #expect(try other.string(forKey: "a") == "2")
    #expect(try other.string(forKey: "b") == "1")
    #expect(try store.string(forKey: "a") == "3")
  }

  @Test func `the thread may be kept for longer than the store`() async throws {
    var store: SecureStore? = try await home.open()
    let executor = try #require(store).executor
    try await store?.set("1", forKey: "a")
    store = nil
    let again = try await home.open()
    try await withTaskExecutorPreference(executor) { () async throws in
      await Task.yield()
      try await again.set("2", forKey: "a")
    }
    #expect(try again.string(forKey: "a") == "2")
  }
}
