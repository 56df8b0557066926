import SecureStorage
import SessionModels
import Testing

@Suite struct SecureStoreTests {
  @Test func `what was set is read, and by a later open too`() async throws {
    let home = TemporaryHome()
    do {
      let store = try await home.open()
      try await store.set("blue", forKey: "colour")
      #expect(try store.string(forKey: "colour") == "blue")
      #expect(try store.string(forKey: "shape") == nil)
      store.close()
    }
    let store = try await home.open()
    #expect(try store.string(forKey: "colour") == "blue")
    #expect(try store.keys() == ["colour"])
  }

  @Test func `an empty value is a value`() async throws {
    let home = TemporaryHome()
    let store = try await home.open()
    try await store.set("", forKey: "empty")
    #expect(try store.data(forKey: "empty") == [])
  }

  @Test func `a removed value is absent`() async throws {
    let home = TemporaryHome()
    let store = try await home.open()
    try await store.set("1", forKey: "a")
    try await store.remove("a")
    try await store.remove("never there")
    #expect(try store.data(forKey: "a") == nil)
    #expect(try store.keys() == [])
  }

  @Test func `a thousand entries are all there, in this open and the next`() async throws {
    let home = TemporaryHome()
    do {
      let store = try await home.open()
      try await store.transaction { transaction throws(StorageError) in
        for index in 0..<1000 { try transaction.set("value \(index)", forKey: "key \(index)") }
      }
      try await store.transaction { transaction throws(StorageError) in
        for index in 0..<500 { try transaction.remove("key \(index)") }
      }
      store.close()
    }
    let store = try await home.open()
    #expect(try store.keys().count == 500)
    #expect(try store.string(forKey: "key 999") == "value 999")
    #expect(try store.string(forKey: "key 1") == nil)
  }
}
