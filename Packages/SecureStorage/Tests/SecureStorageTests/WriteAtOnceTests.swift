import SecureStorageTesting
import SessionModels
import Synchronization
import Testing

@testable import SecureStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A commit that is not synced, and for which nobody must be waited for, is made on the thread
/// that asks for it; every other one on the store's.
@Suite struct WriteAtOnceTests {
  private let home = TemporaryHome()
  private let normal = StoreOptions(lockDeadline: .milliseconds(50), durability: .normal)

  /// Whether a transaction's body runs on the thread that the task is on.
  private func runsHere(_ store: SecureStore) async throws -> Bool {
    let here = Self.thread
    return try await store.transaction { transaction throws(StorageError) in
      try transaction.set("1", forKey: "a")
      return Self.thread == here
    }
  }

  private static var thread: pthread_t { pthread_self() }

  /// A store that has written before: the first write opens the database.
  private func opened() async throws -> SecureStore {
    let store = try await home.open(normal)
    try await store.set("0", forKey: "a")
    return store
  }

  @Test func `it runs here where nothing is to be waited for`() async throws {
    let store = try await opened()
    #expect(try await runsHere(store))
    #expect(try store.string(forKey: "a") == "1")
    store.close()
    let again = try await home.open()
    #expect(try again.string(forKey: "a") == "1")
  }

  @Test func `it does not where commits are synced, or counted`() async throws {
    let store = try await home.open()
    try await store.set("0", forKey: "a")
    #expect(try await !runsHere(store))
    store.close()
    let counted = TemporaryHome()
    let vault = InMemoryCountingVault()
    let other = try await SecureStore.open(at: counted.store, options: normal, vault: vault)
    try await other.set("0", forKey: "a")
    #expect(try await !runsHere(other))
  }

  @Test func `it does not while another process writes, and is busy then`() async throws {
    let store = try await opened()
    let lock = open(home.store + "/store.lock", O_RDWR)
    defer { close(lock) }
    try #require(flock(lock, LOCK_EX) == 0)
    await expect(.busy) { try await store.set("2", forKey: "a") }
    #expect(try store.string(forKey: "a") == "0")
    try #require(flock(lock, LOCK_UN) == 0)
    #expect(try await runsHere(store))
  }

  @Test func `it does not after a commit of another process, which may have changed the key`()
    async throws
  {
    let store = try await opened()
    let other = try await OtherProcess.open(home)
    _ = try await other.rekey()
    #expect(try await !runsHere(store))
    #expect(try await runsHere(store))
    #expect(try other.string(forKey: "a") == "1")
  }

  @Test func `a body that throws changes nothing, and is not run twice`() async throws {
    let store = try await opened()
    let bodies = Counted()
    await expect(.busy) {
      try await store.transaction { transaction throws(StorageError) in
        bodies.increment()
        try transaction.set("2", forKey: "a")
        throw StorageError(.busy, "given up", advice: "")
      }
    }
    #expect(bodies.value == 1)
    #expect(try store.string(forKey: "a") == "0")
    #expect(try await runsHere(store))
  }

  @Test func `what is removed is overwritten before it returns`() async throws {
    let store = try await opened()
    try await store.remove("a")
    #expect(TemporaryHome.bytes(of: home.store + "/store.db-wal") == [])
    #expect(try store.string(forKey: "a") == nil)
  }

  @Test func `the log does not grow for ever, and what was moved out of it is durable`()
    async throws
  {
    let store = try await opened()
    let words = try GenerationFile(path: home.store + "/store.generation")
    let before = words.durable
    for index in 0..<1200 { try await store.set("\(index)", forKey: "a") }
    #expect(TemporaryHome.bytes(of: home.store + "/store.db-wal").count < 1100 * 4120)
    #expect(words.durable > before + 200)
    #expect(words.durable < GenerationFile.generation(of: words.stamp))
    #expect(try store.string(forKey: "a") == "1199")
  }

  @Test func `tasks that write at the same time lose nothing`() async throws {
    let store = try await opened()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for index in 0..<50 { try await store.set("\(index)", forKey: "\(task).\(index)") }
        }
      }
      try await group.waitForAll()
    }
    let verified = try await store.verify()
    #expect(verified == StoreVerification(verified: 401, damaged: []))
  }

  private final class Counted: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func increment() { count.add(1, ordering: .relaxed) }
  }
}
