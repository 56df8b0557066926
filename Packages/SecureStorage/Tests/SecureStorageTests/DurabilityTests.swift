import SecureStorageTesting
import SessionModels
import Testing

@testable import SecureStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// What a power cut leaves of commits that were not synced.
@Suite struct DurabilityTests {
  private static let files = ["store.db", "store.db-wal"]

  private let home = TemporaryHome()
  private let normal = StoreOptions(durability: .normal)

  private func database() -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for file in Self.files { files[file] = TemporaryHome.bytes(of: home.store + "/" + file) }
    return files
  }

  /// What is left when the disk never got what was written since.
  private func cutPower(_ files: [String: [UInt8]]) {
    for (file, bytes) in files { TemporaryHome.write(bytes, to: home.store + "/" + file) }
    unlink(home.store + "/store.db-shm")
  }

  @Test func `commits that a power cut undid are no attack, and their numbers are not used again`()
    async throws
  {
    let store = try await home.open(normal)
    try await store.set("kept", forKey: "a")
    let before = database()
    for index in 0..<5 { try await store.set("lost \(index)", forKey: "a") }
    let lost = try store.reading(of: KeyName(unchecked: "a"), in: .user).generation
    let (files, generation) = (before, TemporaryHome.bytes(of: home.store + "/store.generation"))
    store.close()
    cutPower(files)
    TemporaryHome.write(generation, to: home.store + "/store.generation")
    for options in [normal, StoreOptions()] {
      let again = try await home.open(options)
      #expect(try again.string(forKey: "a") == "kept")
      again.close()
    }
    let again = try await home.open(normal)
    try await again.set("new", forKey: "a")
    #expect(try again.string(forKey: "a") == "new")
    #expect(try again.reading(of: KeyName(unchecked: "a"), in: .user).generation == lost + 1)
    again.close()
  }

  @Test func `a database older than what was synced is damage with either option`() async throws {
    let store = try await home.open(normal)
    let old = database()
    try await store.set("1", forKey: "a")
    store.close()
    // Closing moved the log into the database, which is synced then.
    cutPower(old)
    await expect(.damaged) { try await home.open(normal) }
    await expect(.damaged) { try await home.open() }
  }

  @Test func `what a vault counts is synced first`() async throws {
    let vault = InMemoryCountingVault()
    let store = try await SecureStore.open(at: home.store, options: normal, vault: vault)
    let counted = try GenerationFile(path: home.store + "/store.generation")
    let before = counted.durable
    try await SecureSessionStorage(store: store).setAuthInfo(SecureSessionStorageTests.info())
    #expect(counted.durable > before)
    #expect(counted.durable == GenerationFile.generation(of: counted.stamp))
    let synced = counted.durable
    try await store.set("1", forKey: "a")
    #expect(counted.durable == synced)
    store.close()
    #expect(counted.durable == GenerationFile.generation(of: counted.stamp))
  }

  @Test func `a process that syncs makes durable what others committed before`() async throws {
    let fast = try await home.open(normal)
    let safe = try await OtherProcess.open(home)
    let words = try GenerationFile(path: home.store + "/store.generation")
    for index in 0..<3 { try await fast.set("\(index)", forKey: "a") }
    #expect(words.durable < GenerationFile.generation(of: words.stamp))
    try await safe.set("1", forKey: "b")
    #expect(words.durable == GenerationFile.generation(of: words.stamp))
    #expect(try fast.string(forKey: "b") == "1")
  }

  @Test func `a blocking transaction is a transaction`() async throws {
    let store = try await home.open()
    try commit(store)
    #expect(try store.string(forKey: "a") == "1")
  }

  private func commit(_ store: SecureStore) throws {
    try store.transactionBlocking { transaction throws(StorageError) in
      try transaction.set("1", forKey: "a")
    }
  }
}
