import SessionModels
import Testing

@testable import SecureStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Nothing readable on disk, and nothing left of what was removed.
@Suite struct RemainsTests {
  private func everything(_ home: TemporaryHome) -> [UInt8] {
    TemporaryHome.names(in: home.store).flatMap {
      TemporaryHome.bytes(of: home.store + "/" + $0)
    }
  }

  private func holds(_ bytes: [UInt8], _ text: some Collection<UInt8>) -> Bool {
    let text = Array(text)
    return bytes.withUnsafeBytes { all in
      guard let start = all.baseAddress, all.count >= text.count else { return false }
      return (0...all.count - text.count).contains { memcmp(start + $0, text, text.count) == 0 }
    }
  }

  @Test func `neither names nor values can be read in any file`() async throws {
    let home = TemporaryHome()
    let store = try await home.open()
    try await store.set("a secret value in plain", forKey: "a telling name")
    try await SecureSessionStorage(store: store).setAuthInfo(SecureSessionStorageTests.info())
    let bytes = everything(home)
    for text in ["a secret value", "a telling name", "refresh-token", "access-token", "u1"] {
      #expect(text.utf8.count < 4 || !holds(bytes, Array(text.utf8)), "\(text)")
    }
  }

  @Test(arguments: 0..<6)
  func `a removed value's ciphertext is gone from database, log and free pages`(
    round: Int
  ) async throws {
    let home = TemporaryHome()
    let store = try await home.open()
    // Enough for the tree to be split and rebalanced, which copies rows about.
    let values = (0..<300).map {
      "value \($0) " + String(repeating: "x", count: 40 + $0 + round * 7)
    }
    try await store.transaction { transaction throws(StorageError) in
      for (index, value) in values.enumerated() {
        try transaction.set(value, forKey: "key \(index)")
      }
    }
    let rows = try SealedRows.all(of: home)
    #expect(rows.count >= 300)
    try await store.transaction { transaction throws(StorageError) in
      for index in 0..<300 where index % 3 != 0 { try transaction.remove("key \(index)") }
    }
    let left = Set(try SealedRows.all(of: home))
    let bytes = everything(home)
    var found = 0
    for row in rows where !left.contains(row) {
      // The last bytes lie in one piece even where a row is spread over pages.
      if holds(bytes, row.suffix(24)) { found += 1 }
    }
    #expect(found == 0)
    #expect(TemporaryHome.bytes(of: home.store + "/store.db-wal") == [])
  }

  @Test func `a removed value's ciphertext is gone from a store of 20,000 entries, too`()
    async throws
  {
    let home = TemporaryHome()
    let store = try await home.open()
    let text = String(repeating: "x", count: 400)
    // Bit by bit and of all sizes, so that rows are moved from page to page after they were in the
    // database: a few copies of them lie in the pages' gaps then.
    for start in stride(from: 0, to: 20_000, by: 4000) {
      try await store.transaction { transaction throws(StorageError) in
        for index in start..<start + 4000 {
          try transaction.set(String(text.prefix(index * 7919 % 340)), forKey: "key \(index)")
        }
      }
    }
    let rows = try SealedRows.all(of: home)
    try await store.transaction { transaction throws(StorageError) in
      for index in 0..<20_000 where index % 5 < 3 { try transaction.remove("key \(index)") }
    }
    let left = Set(try SealedRows.all(of: home))
    // Pages in memory must not bring it back either.
    for index in 0..<40 { try await store.set(text + "\(index)", forKey: "key \(index)") }
    #expect(TemporaryHome.bytes(of: home.store + "/store.db").count > 6_000_000)
    let words = Remains(everything(home))
    let gone = rows.filter { !left.contains($0) }
    #expect(gone.count >= 12_000)
    #expect(gone.filter { words.holds($0.suffix(24)) }.isEmpty)
    #expect(left.filter { words.holds($0.suffix(24)) }.count > 7900)
  }

  @Test func `what a killed removal left is overwritten by the next one, of what is gone too`()
    async throws
  {
    let home = TemporaryHome()
    let store = try await home.open()
    for index in 0..<50 { try await store.set("value \(index)", forKey: "key \(index)") }
    let rows = Set(try SealedRows.all(of: home))
    // As a process leaves it that is killed between its commit and what follows.
    let killed = TemporaryHome()
    mkdir(killed.store, 0o700)
    try await store.transaction { transaction throws(StorageError) in
      try transaction.remove("key 7")
      transaction.writer.afterCommit { _ in
        for name in TemporaryHome.names(in: home.store) {
          let bytes = TemporaryHome.bytes(of: home.store + "/" + name)
          TemporaryHome.write(bytes, to: killed.store + "/" + name)
        }
      }
    }
    let left = Set(try SealedRows.all(of: home))
    let gone = rows.subtracting(left)
    func remains() -> Int { gone.filter { holds(everything(killed), $0.suffix(24)) }.count }
    #expect(remains() > 0)
    let again = try await killed.open()
    #expect(try again.string(forKey: "key 7") == nil)
    try await again.remove("key 7")
    #expect(remains() == 0)
    #expect(TemporaryHome.bytes(of: killed.store + "/store.db-wal") == [])
  }

  @Test func `R4: a wiped session's ciphertext is gone from every file`() async throws {
    let home = TemporaryHome()
    let store = try await home.open()
    let storage = SecureSessionStorage(store: store)
    var rows: Set<[UInt8]> = []
    for index in 0..<20 {
      try await storage.setAuthInfo(
        SecureSessionStorageTests.info(refresh: "refresh-token-\(index)")
      )
      rows.formUnion(try SealedRows.all(of: home))
    }
    try await storage.wipe(reason: .userRequested)
    let left = Set(try SealedRows.all(of: home))
    let bytes = everything(home)
    #expect(rows.subtracting(left).count >= 20)
    for row in rows.subtracting(left) { #expect(!holds(bytes, row.suffix(24))) }
  }
}
