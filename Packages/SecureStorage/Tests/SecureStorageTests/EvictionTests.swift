import SessionModels
import Testing

@testable import SecureStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// R4: a sign-out does not wait for a process that does not move.
@Suite struct EvictionTests {
  private let home = TemporaryHome()
  private let options = StoreOptions(lockDeadline: .milliseconds(50))

  /// A store with a value and a session, and what is in its files.
  private func store() async throws -> SecureStore {
    let store = try await home.open(options)
    try await store.set("blue", forKey: "colour")
    try await SecureSessionStorage(store: store).setAuthInfo(SecureSessionStorageTests.info())
    return store
  }

  @Test func `a sign-out passes over a lock that stays taken, and the rest of the store goes on`()
    async throws
  {
    let store = try await store()
    let bystander = try await OtherProcess.open(home, options)
    #expect(try bystander.string(forKey: "colour") == "blue")
    // As a stopped process has it.
    let held = open(home.store + "/store.lock", O_RDWR)
    defer { close(held) }
    #expect(flock(held, LOCK_EX) == 0)
    await expect(.busy) { try await store.set("red", forKey: "colour") }
    try await SecureSessionStorage(store: store).wipe(reason: .userRequested)
    let record = try SecureSessionStorage(store: store).record()
    #expect(record.authInfo == nil && record.signOutReason == .userRequested)
    #expect(try store.string(forKey: "colour") == "blue")
    try await store.set("red", forKey: "colour")
    _ = try? bystander.string(forKey: "colour")
    #expect(try bystander.string(forKey: "colour") == "red")
    try await bystander.set("green", forKey: "colour")
    #expect(try store.string(forKey: "colour") == "green")
    #expect(try await store.verify().damaged == [])
    #expect(!TemporaryHome.names(in: home.store).contains { $0.hasSuffix(".new") })
  }

  @Test func `so does one of a store that is not open`() async throws {
    try await store().close()
    let held = open(home.store + "/store.lock", O_RDWR)
    defer { close(held) }
    #expect(flock(held, LOCK_EX) == 0)
    try await SecureSessionStorage.wipe(
      storeAt: home.store,
      reason: .userRequested,
      options: options
    )
    let store = try await home.open(options)
    #expect(try SecureSessionStorage(store: store).record().authInfo == nil)
    #expect(try store.string(forKey: "colour") == "blue")
  }

  @Test(arguments: [false, true])
  func `a commit that was under way meanwhile does not count, and says so`(
    readsAfterwards: Bool
  ) async throws {
    let store = try await store()
    let stopped = try await OtherProcess.open(home, options)
    let salvage = Salvage(files: StoreFiles(directory: home.store), deadline: .milliseconds(50))
    await expect(.busy) {
      try await stopped.transaction { transaction throws(StorageError) in
        try transaction.set("late", forKey: "colour")
        try transaction.set("secret of the late one", forKey: "session", in: .session)
        // All of the sign-out happens while this transaction stands still.
        let mark = WipedMark(reason: .userRequested, sessionGeneration: 7)
        _ = try salvage.wipeSession(leaving: mark)
        // It may or may not notice by itself that its files were overwritten.
        if readsAfterwards { _ = try transaction.keys(in: .profile) }
      }
    }
    #expect(try SecureSessionStorage(store: store).record().authInfo == nil)
    #expect(try store.string(forKey: "colour") == "blue")
    try await stopped.set("again", forKey: "colour")
    #expect(try store.string(forKey: "colour") == "again")
    #expect(try await store.verify().damaged == [])
  }

  @Test func `a process that writes all the time is waited for, not passed over`() async throws {
    let store = try await store()
    let held = open(home.store + "/store.lock", O_RDWR)
    defer { close(held) }
    #expect(flock(held, LOCK_EX) == 0)
    let generations = try GenerationFile(path: home.store + "/store.generation")
    let files = StoreFiles(directory: home.store)
    #expect(throws: StorageError.self) {
      _ = try Eviction(files: files).perform(generations) { old throws(StorageError) in
        // It moves between the two looks.
        generations.beginCommit(after: GenerationFile.generation(of: generations.stamp))
        return (try old.contents(files)[0], nil)
      }
    }
    flock(held, LOCK_UN)
    #expect(!TemporaryHome.names(in: home.store).contains { $0.hasSuffix(".whole") })
    #expect(try store.string(forKey: "colour") == "blue")
    #expect(try SecureSessionStorage(store: store).record().authInfo != nil)
    try await store.set("red", forKey: "colour")
  }
}
