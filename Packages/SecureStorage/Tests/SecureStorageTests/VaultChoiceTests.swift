import SecureStorageTesting
import Testing

@testable import SecureStorage

@Suite struct VaultChoiceTests {
  private static let names = ["best", "better", "good"].map { VaultName(rawValue: $0) }

  private func error(_ code: StorageError.Code, _ message: String = "why") -> StorageError {
    StorageError(code, message, advice: "do")
  }

  @Test(arguments: 0...3)
  func `the first vault that answers is taken, after those that cannot be reached`(
    unreachable: Int
  ) throws {
    var choice = VaultChoice(Self.names)
    for index in 0..<unreachable {
      #expect(choice.next == index)
      try choice.failed(error(.vaultUnavailable, "no \(index)"))
    }
    #expect(choice.next == (unreachable < 3 ? unreachable : nil))
    #expect(choice.passedOver.map(\.vault) == Array(Self.names.prefix(unreachable)))
    if unreachable < 3 {
      let note = StoreNote.choseVault(Self.names[unreachable], passedOver: choice.passedOver)
      #expect(choice.note == note)
    } else {
      #expect(choice.note == nil)
      #expect(choice.failure.code == .vaultUnavailable)
      #expect(choice.failure.message.contains("better: no 1"))
    }
  }

  @Test(arguments: StorageError.Code.allCases.filter { $0 != .vaultUnavailable })
  func `any other failure ends the choice: never silently a weaker vault`(
    code: StorageError.Code
  ) {
    var choice = VaultChoice(Self.names)
    let thrown = #expect(throws: StorageError.self) { try choice.failed(error(code)) }
    #expect(thrown?.code == code)
    #expect(choice.passedOver.isEmpty)
  }

  private let home = TemporaryHome()
  private let vaults = names.map { InMemoryVault(name: $0) }

  @Test func `a new store gets the best vault that can be used, and keeps it`() async throws {
    vaults[0].fail(with: error(.vaultUnavailable, "not plugged in"))
    let store = try await SecureStore.open(at: home.store, vaults: vaults)
    try await store.set("1", forKey: "a")
    #expect(store.vaultName == Self.names[1])
    #expect(store.notes.contains { "\($0)".contains("best: not plugged in") })
    store.close()
    vaults[0].fail(with: nil)
    let again = try await SecureStore.open(at: home.store, vaults: vaults)
    #expect(again.vaultName == Self.names[1])
    #expect(try again.string(forKey: "a") == "1")
    #expect(again.notes.isEmpty)
    #expect(try vaults[0].rootKey() == nil)
    again.close()
    vaults[1].fail(with: error(.vaultUnavailable))
    await expect(.vaultUnavailable) {
      try await SecureStore.open(at: home.store, vaults: vaults)
    }
    await expect(.otherVault) {
      try await SecureStore.open(at: home.store, vaults: [vaults[0]])
    }
  }

  @Test func `a locked vault stops it, and nothing is made`() async throws {
    vaults[0].fail(with: error(.vaultUnavailable))
    vaults[1].fail(with: error(.vaultLocked))
    await expect(.vaultLocked) { try await SecureStore.open(at: home.store, vaults: vaults) }
    #expect(try vaults[2].rootKey() == nil)
    #expect(TemporaryHome.names(in: home.path).isEmpty)
    let asked = try? await SecureStore.preferredVault(among: vaults)
    #expect(asked == nil)
  }

  @Test func `one that hangs stops it, too, and the way out is named`() async throws {
    vaults[0].fail(with: .noAnswer("best did not answer", advice: "wait"))
    do {
      _ = try await SecureStore.open(at: home.store, vaults: vaults)
      Issue.record("a weaker vault was taken")
    } catch {
      #expect(error.code == .vaultUnavailable)
      #expect(error.advice.contains("--vault good"))
    }
    #expect(try vaults[1].rootKey() == nil)
    #expect(TemporaryHome.names(in: home.path).isEmpty)
  }

  @Test func `where no vault can be used nothing is made`() async throws {
    for vault in vaults { vault.fail(with: error(.vaultUnavailable)) }
    await expect(.vaultUnavailable) { try await SecureStore.open(at: home.store, vaults: vaults) }
    await expect(.misuse) { try await SecureStore.open(at: home.store, vaults: []) }
    #expect(TemporaryHome.names(in: home.path).isEmpty)
  }

  @Test func `a vault that can be asked but keeps nothing is passed over`() async throws {
    let store = try await SecureStore.open(
      at: home.store,
      vaults: [FullVault(), vaults[1]]
    )
    #expect(store.vaultName == Self.names[1])
    let asked = try await SecureStore.preferredVault(among: vaults)
    #expect(asked.vault == Self.names[0])
    #expect(asked.passedOver.isEmpty)
  }

  @Test func `a second chooser at the same time gets the first one's store`() async throws {
    let stores = try await withThrowingTaskGroup(of: SecureStore.self) { group in
      for _ in 0..<8 {
        group.addTask { try await SecureStore.open(at: home.store, vaults: vaults) }
      }
      return try await group.reduce(into: [SecureStore]()) { $0.append($1) }
    }
    #expect(Set(stores.map(ObjectIdentifier.init)).count == 1)
    #expect(stores[0].notes.count == 1)
  }

  @Test func `whether there is a store is known without making one`() async throws {
    #expect(try !SecureStore.exists(at: home.store))
    #expect(TemporaryHome.names(in: home.path).isEmpty)
    let store = try await home.open()
    #expect(try SecureStore.exists(at: home.store))
    store.close()
    for name in TemporaryHome.names(in: home.store) where name.hasPrefix("store.db") {
      home.remove(name)
    }
    #expect(try SecureStore.exists(at: home.store), "its database is gone, but it was there")
    for name in ["store.generation", "store.lock"] { home.remove(name) }
    #expect(TemporaryHome.names(in: home.store) == ["store.key"])
    #expect(try !SecureStore.exists(at: home.store))
  }
}

/// A vault that has no room for another key.
private struct FullVault: KeyVault {
  let name = VaultName(rawValue: "full")

  func rootKey() throws(StorageError) -> RootKey? { nil }

  func setRootKey(_ key: RootKey?) throws(StorageError) {
    throw StorageError(.vaultUnavailable, "It is full", advice: "Make room.")
  }
}
