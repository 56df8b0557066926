import SecureStorage
import SessionModels
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// What is in the log after each commit, as a process that is killed then leaves it.
@Suite struct LogTests {
  /// The files as they are, without closing anything.
  private func copy(_ home: TemporaryHome) throws -> TemporaryHome {
    let copy = TemporaryHome()
    try #require(mkdir(copy.store, 0o700) == 0)
    for file in ["store.db", "store.db-wal", "store.generation", "store.key"] {
      TemporaryHome.write(
        TemporaryHome.bytes(of: home.store + "/" + file),
        to: copy.store + "/" + file
      )
    }
    return copy
  }

  @Test(arguments: [Durability.full, .normal])
  func `each commit is whole in the log, and so is one that did not fit into memory`(
    durability: Durability
  ) async throws {
    let home = TemporaryHome()
    let store = try await home.open(StoreOptions(durability: durability))
    for index in 0..<5 {
      try await store.set("\(index)", forKey: "a")
      let left = try await copy(home).open()
      #expect(try left.string(forKey: "a") == "\(index)")
      left.close()
    }
    let text = String(repeating: "x", count: 1000)
    // More than fits into memory: pages are written to the log, changed again, and written anew.
    try await store.transaction { transaction throws(StorageError) in
      for round in 0..<3 {
        for index in 0..<4000 { try transaction.set(text + "\(round)", forKey: "key \(index)") }
      }
    }
    let left = try await copy(home).open()
    defer { left.close() }
    #expect(try await left.verify() == StoreVerification(verified: 4001, damaged: []))
    #expect(try left.string(forKey: "key 3999") == text + "2")
    #expect(try left.string(forKey: "a") == "4")
  }
}
