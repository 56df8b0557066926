import SecureStorage
import SessionModels
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// How the rows of a small store lie on its pages: the second copies on another one than the first,
/// and no value where a change of it would write a third page.
@Suite struct NewStoreTests {
  private static let page = 4096

  private static func setSession(_ round: Int, _ store: SecureStore) async throws {
    try await store.transaction { transaction throws(StorageError) in
      for (index, count) in [800, 300, 36, 24].enumerated() {
        let text = String(repeating: "\(round % 10)", count: count)
        try transaction.set(text, forKey: "key \(index)")
      }
    }
  }

  /// What a repair finds of a closed store of which one leaf of the tree is gone.
  private func repair(withoutLeaf index: Int) async throws -> StoreRepair {
    let home = TemporaryHome()
    let store = try await home.open()
    try await Self.setSession(1, store)
    store.close()
    var bytes = TemporaryHome.bytes(of: home.store + "/store.db")
    // Pages of the tree without others below them, in the order of their rows.
    let leaves = (1..<bytes.count / Self.page).filter { bytes[$0 * Self.page] == 10 }
    try #require(leaves.count == 2)
    bytes.replaceSubrange(
      leaves[index] * Self.page..<(leaves[index] + 1) * Self.page,
      with: repeatElement(0, count: Self.page)
    )
    TemporaryHome.write(bytes, to: home.store + "/store.db")
    let repair = try await SecureStore.repair(
      storeAt: home.store,
      vault: FileVault(path: home.keyFile)
    )
    let repaired = try await home.open()
    defer { repaired.close() }
    #expect(
      try await repaired.verify() == StoreVerification(verified: repair.readable, damaged: [])
    )
    return repair
  }

  @Test func `the loss of either page costs no more than the values on it`() async throws {
    let withoutFirst = try await repair(withoutLeaf: 0)
    #expect(Set(withoutFirst.lost).isSuperset(of: (0..<4).map { "key \($0)" }))
    let withoutSecond = try await repair(withoutLeaf: 1)
    #expect(withoutSecond.lost == [])
    #expect(withoutSecond.readable == 4)
  }

  /// The names of rows differ from store to store, and so does their order.
  @Test func `a change of a session's values writes two pages`() async throws {
    for _ in 0..<8 {
      let home = TemporaryHome()
      let store = try await home.open()
      defer { store.close() }
      func frames() -> Int {
        LogFile.frames(of: TemporaryHome.bytes(of: home.store + "/store.db-wal"))
      }
      try await Self.setSession(1, store)
      let before = frames()
      for round in 2...4 { try await Self.setSession(round, store) }
      #expect(frames() == before + 3 * 2)
    }
  }
}
