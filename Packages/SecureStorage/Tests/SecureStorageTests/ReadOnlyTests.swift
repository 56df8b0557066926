import SessionModels
import Testing

@testable import SecureStorage

/// What can be read where nothing can be written; a real read-only mount is in the integration
/// tests.
@Suite struct ReadOnlyTests {
  private let home = TemporaryHome()

  private func open() async throws -> SecureStore {
    try await SecureStore.open(
      engine: ReadOnlyEngine(directory: home.store),
      vault: FileVault(path: home.keyFile)
    )
  }

  @Test(arguments: [true, false])
  func `everything can be read, be it in the log, and nothing changes`(isClosed: Bool) async throws
  {
    let sample = try await RepairSample.make(entries: 40, isClosed: isClosed)
    #expect(sample.log.isEmpty == isClosed)
    sample.restore(home)
    let names = TemporaryHome.names(in: home.store)
    let store = try await open()
    for (key, value) in sample.values { #expect(try store.string(forKey: key) == value) }
    #expect(try store.keys().count == 40)
    #expect(try store.string(forKey: "absent") == nil)
    #expect(try await store.verify().damaged == [])
    #expect(try store.info().entries == 40)
    let record = try SecureSessionStorage(store: store).record()
    #expect(record.authInfo == SecureSessionStorageTests.info())
    await expect(.io) { try await store.set("new", forKey: "key 1") }
    await expect(.io) { try await store.remove("key 1") }
    await expect(.io) { _ = try await store.rekey() }
    await expect(.io) { try await SecureSessionStorage(store: store).wipe(reason: .userRequested) }
    #expect(try store.string(forKey: "key 1") == sample.values["key 1"])
    store.close()
    await expect(.misuse) { try store.string(forKey: "key 1") }
    #expect(TemporaryHome.names(in: home.store) == names)
    for (name, bytes) in sample.contents {
      #expect(TemporaryHome.bytes(of: home.store + "/" + name) == bytes, "\(name)")
    }
  }

  @Test func `what somebody writes by another way is seen`() async throws {
    let writer = try await home.open()
    try await writer.set("blue", forKey: "colour")
    let store = try await open()
    for index in 0..<20 {
      try await writer.set("\(index)", forKey: "colour")
      #expect(try store.string(forKey: "colour") == "\(index)")
      if index == 10 { try await writer.remove("other") }
    }
    writer.close()
    #expect(try store.string(forKey: "colour") == "19")
  }

  @Test func `damage is damage there, too`() async throws {
    let sample = try await RepairSample.make(entries: 10)
    var bytes = sample.database
    bytes[100] ^= 0xFF
    sample.restore(home, ["store.db": bytes])
    await expect(.damaged) { try await open() }
    let log = try await RepairSample.make(entries: 10, isClosed: false)
    log.restore(home, ["store.db-wal": [UInt8]?.none])
    await expect(.damaged) { try await open() }
  }
}
