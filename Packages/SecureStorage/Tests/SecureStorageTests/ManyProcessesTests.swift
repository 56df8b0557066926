import SecureStorage
import SessionModels
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

@Suite struct ManyProcessesTests {
  /// For many that write at once: on a slow machine the last of them waits for all the others.
  private static let patient = StoreOptions(lockDeadline: .seconds(200))

  @Test func `a read sees the last commit of any process`() async throws {
    let home = TemporaryHome()
    let mine = try await home.open()
    let other = try await OtherProcess.open(home)
    for index in 0..<50 {
      try await other.set("\(index)", forKey: "a")
      #expect(try mine.string(forKey: "a") == "\(index)")
      try await mine.remove("a")
      #expect(try other.string(forKey: "a") == nil)
    }
  }

  @Test func `writers do not lose one another's writes`() async throws {
    let home = TemporaryHome()
    var stores = [try await home.open(Self.patient)]
    for _ in 0..<3 { stores.append(try await OtherProcess.open(home, Self.patient)) }
    try await withThrowingTaskGroup { group in
      for (number, store) in stores.enumerated() {
        group.addTask {
          for index in 0..<25 {
            try await store.set("v", forKey: "\(number)-\(index)")
            try await store.transaction { transaction throws(StorageError) in
              let count = Int(try transaction.string(forKey: "count") ?? "0") ?? 0
              try transaction.set("\(count + 1)", forKey: "count")
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try stores[0].string(forKey: "count") == "100")
    #expect(try stores[0].keys().count == 101)
  }

  @Test func `first opens at once make one keyset`() async throws {
    let home = TemporaryHome()
    let stores = try await withThrowingTaskGroup { group in
      for index in 0..<12 {
        group.addTask {
          let store =
            try await index % 2 == 0
            ? home.open(Self.patient) : OtherProcess.open(home, Self.patient)
          try await store.set("\(index)", forKey: "key \(index)")
          return store
        }
      }
      return try await group.reduce(into: [SecureStore]()) { $0.append($1) }
    }
    for store in stores {
      #expect(try store.keys().count == 12)
      #expect(try store.info().keyID == stores[0].info().keyID)
      #expect(try await store.verify().verified == 12)
    }
  }

  @Test func `a second open of a file gives the same store`() async throws {
    let home = TemporaryHome()
    let store = try await home.open()
    let same = try await SecureStore.open(
      at: home.store + "//",
      vault: FileVault(path: home.keyFile)
    )
    #expect(store === same)
    store.close()
    await expect(.misuse) { try store.string(forKey: "a") }
    #expect(try await home.open() !== store)
  }

  @Test func `a lock that stays taken is busy, and nothing is written`() async throws {
    let home = TemporaryHome()
    let store = try await home.open(StoreOptions(lockDeadline: .milliseconds(20)))
    let lock = Glibc.open(home.store + "/store.lock", O_RDWR)
    defer { close(lock) }
    flock(lock, LOCK_EX)
    await expect(.busy) { try await store.set("1", forKey: "a") }
    flock(lock, LOCK_UN)
    #expect(try store.string(forKey: "a") == nil)
    try await store.set("1", forKey: "a")
    // No lock is held between calls.
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
  }

  @Test func `the log is used again, and does not grow with the writes`() async throws {
    let home = TemporaryHome()
    let store = try await home.open()
    let value = String(repeating: "v", count: 100_000)
    for index in 0..<100 { try await store.set(value, forKey: "\(index % 3)") }
    let log = TemporaryHome.bytes(of: home.store + "/store.db-wal").count
    #expect(log > 0 && log < 6_000_000)
    store.close()
    #expect(TemporaryHome.bytes(of: home.store + "/store.db-wal") == [])
  }

  @Test func `a store whose files were deleted takes no more writes`() async throws {
    let home = TemporaryHome()
    let store = try await home.open()
    rename(home.store, home.path + "/moved")
    await expect(.misuse) { try await store.set("1", forKey: "a") }
    let fresh = try await home.open()
    try await fresh.set("2", forKey: "a")
    await expect(.misuse) { try await store.set("1", forKey: "a") }
    #expect(try fresh.string(forKey: "a") == "2")
  }

  @Test func `R13: observers see commits of other processes`() async throws {
    let home = TemporaryHome()
    let mine = try await home.open()
    var changes = mine.changes().makeAsyncIterator()
    var sessions = SecureSessionStorage(store: mine).observeAuthInfo().makeAsyncIterator()
    #expect(await sessions.next() == .success(nil))
    let other = try await OtherProcess.open(home)
    let info = SecureSessionStorageTests.info()
    try await SecureSessionStorage(store: other).setAuthInfo(info)
    #expect(await changes.next() != nil)
    #expect(await sessions.next() == .success(info))
    try await SecureSessionStorage(store: other).wipe(reason: .revoked)
    #expect(await sessions.next() == .success(nil))
  }

  @Test func `a process killed in its commit leaves nobody trusting old values`() async throws {
    let home = TemporaryHome()
    let store = try await home.open()
    try await store.set("1", forKey: "a")
    #expect(try store.string(forKey: "a") == "1")
    // What such a process leaves behind: an odd word.
    let file = home.store + "/store.generation"
    var bytes = TemporaryHome.bytes(of: file)
    bytes[0] |= 1
    let generation = Glibc.open(file, O_RDWR)
    defer { close(generation) }
    #expect(pwrite(generation, bytes, 8, 0) == 8)
    #expect(try store.string(forKey: "a") == "1")
    try await store.set("2", forKey: "a")
    #expect(try store.string(forKey: "a") == "2")
    #expect(TemporaryHome.bytes(of: file)[0] & 1 == 0)
  }
}
