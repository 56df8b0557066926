import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

@Suite struct DamageTests {
  /// A closed store's files, and what it holds.
  private struct Sample {
    static let files = ["store.db", "store.db-wal", "store.generation", "store.key"]

    let contents: [String: [UInt8]]
    let values: [String: String]

    static func make() async throws -> Sample {
      let home = TemporaryHome()
      let store = try await home.open()
      var values: [String: String] = [:]
      for index in 0..<12 {
        values["key \(index)"] = String(repeating: "value \(index) ", count: index * 9)
      }
      let all = values
      try await store.transaction { transaction throws(StorageError) in
        for (key, value) in all { try transaction.set(value, forKey: key) }
      }
      try await SecureSessionStorage(store: store).setAuthInfo(SecureSessionStorageTests.info())
      store.close()
      var contents: [String: [UInt8]] = [:]
      for file in files {
        contents[file] = TemporaryHome.bytes(of: home.store + "/" + file)
      }
      return Sample(contents: contents, values: values)
    }

    func restore(_ home: TemporaryHome, replacing file: String, with bytes: [UInt8]?) {
      mkdir(home.store, 0o700)
      for (name, content) in contents {
        if name == file, bytes == nil { continue }
        TemporaryHome.write(name == file ? bytes ?? [] : content, to: home.store + "/" + name)
      }
    }

    /// Every answer is the truth or an error; how many errors and damaged copies there were.
    func check(_ home: TemporaryHome, _ what: Comment) async -> Int {
      guard let store = try? await home.open() else { return values.count }
      defer { store.close() }
      var errors = 0
      for (key, value) in values {
        do {
          #expect(try store.string(forKey: key) == value, what)
        } catch {
          errors += 1
        }
      }
      if let keys = try? store.keys() { #expect(keys.count == values.count, what) }
      if let record = try? SecureSessionStorage(store: store).record() {
        #expect(record.authInfo == SecureSessionStorageTests.info(), what)
      }
      // A row of which there is another copy hurts nobody, but is named.
      return errors + ((try? await store.verify().damaged.count) ?? 1)
    }
  }

  @Test func `a flipped bit anywhere in the database never gives a wrong value or an absence`()
    async throws
  {
    let sample = try await Sample.make()
    let database = try #require(sample.contents["store.db"])
    #expect(sample.contents["store.db-wal"] == [])
    var random = SeededRandom(42)
    var damaged = 0
    for _ in 0..<500 {
      var bytes = database
      let place = Int.random(in: 0..<bytes.count, using: &random)
      let bit = Int.random(in: 0..<8, using: &random)
      bytes[place] ^= 1 << bit
      let home = TemporaryHome()
      sample.restore(home, replacing: "store.db", with: bytes)
      if await sample.check(home, "bit \(bit) of byte \(place)") > 0 { damaged += 1 }
    }
    #expect(damaged > 50)
  }

  @Test func `a database cut short never gives a wrong value or an absence`() async throws {
    let sample = try await Sample.make()
    let database = try #require(sample.contents["store.db"])
    for count in stride(from: 0, to: database.count, by: 1024) {
      let home = TemporaryHome()
      sample.restore(home, replacing: "store.db", with: Array(database.prefix(count)))
      let errors = await sample.check(home, "cut to \(count) bytes")
      #expect(errors > 0)
    }
  }

  @Test func `a database that is gone though it was written to is tampered, not a fresh store`()
    async throws
  {
    let sample = try await Sample.make()
    let home = TemporaryHome()
    sample.restore(home, replacing: "store.db", with: nil)
    await expect(.tampered) { try await home.open() }
  }

  @Test func `an old copy of the database is damage while the generation file is there`()
    async throws
  {
    let home = TemporaryHome()
    let first = try await home.open()
    try await first.set("old", forKey: "a")
    first.close()
    let old = TemporaryHome.bytes(of: home.store + "/store.db")
    let second = try await home.open()
    try await second.set("new", forKey: "a")
    second.close()
    TemporaryHome.write(old, to: home.store + "/store.db")
    await expect(.damaged) { try await home.open() }
  }

  @Test func `a missing key file is a lost key, and so is a damaged one`() async throws {
    let sample = try await Sample.make()
    let home = TemporaryHome()
    sample.restore(home, replacing: "store.key", with: nil)
    await expect(.keyLost) { try await home.open() }
    #expect(!TemporaryHome.names(in: home.store).contains("store.key"))
    var key = try #require(sample.contents["store.key"])
    for place in key.indices {
      key[place] ^= 1
      TemporaryHome.write(key, to: home.keyFile)
      await expect(.keyLost) { try await home.open() }
      key[place] ^= 1
    }
  }

  @Test func `another store's key is wrong, and opens nothing`() async throws {
    let sample = try await Sample.make()
    let other = try await Sample.make()
    let home = TemporaryHome()
    sample.restore(home, replacing: "store.key", with: other.contents["store.key"])
    await expect(.wrongKey) { try await home.open() }
  }
}
