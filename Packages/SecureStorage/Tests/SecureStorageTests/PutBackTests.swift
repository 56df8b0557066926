import Testing

@testable import SecureStorage

/// What was set aside can be put back, and a check names what would be found too late.
@Suite struct PutBackTests {
  @Test func `a store that was set aside opens again in its old place`() async throws {
    let home = TemporaryHome()
    let store = try await home.open()
    try await store.set("blue", forKey: "colour")
    let aside = try await SecureStore.setAside(storeAt: home.store)
    #expect(throws: StorageError.self) { _ = try store.string(forKey: "other") }
    try await SecureStore.putBack(aside, at: home.store)
    let again = try await home.open()
    #expect(try again.string(forKey: "colour") == "blue")
    try await again.set("red", forKey: "colour")
  }

  @Test func `so does one that could not be marked as put aside for lack of room`() async throws {
    let home = TemporaryHome()
    let store = try await home.open()
    try await store.set("blue", forKey: "colour")
    let aside = try await SecureStore.setAside(storeAt: home.store)
    try GenerationFile(path: aside + "/store.generation").set(GenerationFile.retired)
    try await SecureStore.putBack(aside, at: home.store)
    let again = try await home.open()
    #expect(try again.string(forKey: "colour") == "blue")
    try await again.set("red", forKey: "colour")
    #expect(try again.string(forKey: "colour") == "red")
  }

  @Test func `nothing is put in the place of another store`() async throws {
    let home = TemporaryHome()
    try await home.open().close()
    let aside = try await SecureStore.setAside(storeAt: home.store)
    let other = try await home.open()
    try await other.set("kept", forKey: "key")
    await #expect(throws: StorageError.self) {
      try await SecureStore.putBack(aside, at: home.store)
    }
    #expect(try other.string(forKey: "key") == "kept")
  }

  @Test(arguments: [0, 8], [0, 5, 7])
  func `a flipped bit in a generation word locks nobody out`(word: Int, byte: Int) async throws {
    let home = TemporaryHome()
    try await home.open().close()
    let store = try await home.open()
    try await store.set("blue", forKey: "colour")
    store.close()
    let path = home.store + "/store.generation"
    var bytes = TemporaryHome.bytes(of: path)
    bytes[word + byte] ^= 0x10
    TemporaryHome.write(bytes, to: path)
    let again = try await home.open()
    #expect(try again.string(forKey: "colour") == "blue")
    try await again.set("red", forKey: "colour")
    again.close()
    #expect(try await home.open().string(forKey: "colour") == "red")
  }

  @Test func `a page that no write can get past is named before one is tried`() async throws {
    let home = TemporaryHome()
    let store = try await home.open()
    for index in 0..<40 {
      try await store.set(String(repeating: "x", count: 200), forKey: "key \(index)")
    }
    store.close()
    let path = home.store + "/store.db"
    var bytes = TemporaryHome.bytes(of: path)
    // The first free block of a leaf: no look-up reads it, and every change does.
    let leaf = try #require((1..<bytes.count / 4096).first { bytes[$0 * 4096] == 10 })
    bytes[leaf * 4096 + 1] ^= 0x40
    TemporaryHome.write(bytes, to: path)
    let damaged = try await home.open().verify().damaged
    #expect(damaged.contains("<structure of the file>"), "\(damaged)")
  }
}
