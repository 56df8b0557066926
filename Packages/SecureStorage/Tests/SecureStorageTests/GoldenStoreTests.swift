import Foundation
import SecureStorage
import SessionModels
import Testing

/// Stores that earlier versions wrote open for ever.
///
/// A new version of the format gets stores of its own beside them: add cases to ``GoldenStore``
/// that are named after it, then run
///
///     GOLDEN_STORES=/somewhere swift test --filter GoldenStoreTests
///
/// and move what that makes to `Golden`. What lies there is never made again.
@Suite struct GoldenStoreTests {
  private static let target = ProcessInfo.processInfo.environment["GOLDEN_STORES"]

  @Test(arguments: GoldenStore.allCases)
  func `all that it held is there`(golden: GoldenStore) async throws {
    let home = TemporaryHome()
    try golden.copied(to: home)
    let store = try await SecureStore.open(at: home.store, vault: golden.vault(in: home.store))
    #expect(try store.keys().count == GoldenStore.values.count)
    for (key, value) in GoldenStore.values { #expect(try store.data(forKey: key) == value) }
    #expect(try store.string(forKey: "removed") == nil)
    #expect(try SecureSessionStorage(store: store).record() == GoldenStore.record)
    #expect(try store.info().cipher == golden.cipher)
    #expect(try await store.verify().damaged == [])
    // And it can be written to, and its keys changed.
    try await store.set("green", forKey: "colour")
    _ = try await store.rekey()
    #expect(try store.string(forKey: "colour") == "green")
    #expect(try await store.verify().damaged == [])
  }

  @Test(arguments: GoldenStore.allCases)
  func `a database of a later version is a newer format`(golden: GoldenStore) async throws {
    let home = TemporaryHome()
    try golden.copied(to: home)
    let database = home.store + "/store.db"
    var bytes = TemporaryHome.bytes(of: database)
    // SQLite keeps `user_version` in 4 bytes from 60 on.
    try #require(bytes.dropFirst(60).prefix(4) == [0, 0, 0, 1])
    bytes[63] = 2
    TemporaryHome.write(bytes, to: database)
    await expect(.newerFormat) {
      try await SecureStore.open(at: home.store, vault: golden.vault(in: home.store))
    }
    #expect(TemporaryHome.bytes(of: database) == bytes)
  }

  @Test(.enabled(if: target != nil), arguments: GoldenStore.allCases)
  func `a golden store is made`(golden: GoldenStore) async throws {
    let directory = try #require(Self.target) + "/" + golden.rawValue
    let store = try await SecureStore.open(
      at: directory,
      options: StoreOptions(cipher: golden.cipher),
      vault: golden.vault(in: directory)
    )
    try await store.transaction { transaction throws(StorageError) in
      for (key, value) in GoldenStore.values {
        try transaction.set(Secret(bytes: value), forKey: key)
      }
      try transaction.set("gone", forKey: "removed")
    }
    try await store.remove("removed")
    try await SecureSessionStorage(store: store).update { _ in GoldenStore.record }
    store.close()
    for name in try FileManager.default.contentsOfDirectory(atPath: directory)
    where !golden.files.contains(name) {
      try FileManager.default.removeItem(atPath: directory + "/" + name)
    }
  }
}
