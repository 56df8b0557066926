import SecureStorageTesting
import Synchronization
import Testing

@testable import SecureStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// An empty store takes the place of another one only when it is ready, its key included: at no
/// moment is there none.
@Suite struct ReplacingTests {
  private let home = TemporaryHome()

  /// Has no key; looks about while it gets one, and may refuse it.
  private struct LookingVault: KeyVault {
    let name = VaultName.file
    let refusal: StorageError?
    let look: @Sendable () -> Void

    func rootKey() throws(StorageError) -> RootKey? { nil }

    func setRootKey(_ key: RootKey?) throws(StorageError) {
      look()
      if let refusal { throw refusal }
    }
  }

  private func fileVault(in directory: String) -> [any KeyVault] {
    [FileVault(path: directory + "/store.key")]
  }

  private func makeStore() async throws -> SecureStore {
    let store = try await home.open()
    try await store.set("blue", forKey: "colour")
    return store
  }

  @Test func `the new store is empty, and the old one opens where it lies`() async throws {
    let store = try await makeStore()
    let other = try await OtherProcess.open(home)
    #expect(try other.string(forKey: "colour") == "blue")
    let replaced = try await SecureStore.replace(storeAt: home.store) { fileVault(in: $0) }
    #expect(replaced.notes == [.choseVault(.file, passedOver: [])] || replaced.notes.isEmpty)
    await expect(.misuse) { try store.string(forKey: "colour") }
    await expect(.misuse) { try other.string(forKey: "colour") }
    let fresh = try await home.open()
    #expect(try fresh.keys() == [])
    try await fresh.set("red", forKey: "colour")
    let old = try await SecureStore.open(
      at: replaced.aside,
      vault: FileVault(path: replaced.aside + "/store.key")
    )
    #expect(try old.string(forKey: "colour") == "blue")
    #expect(TemporaryHome.names(in: home.path).count == 2)
  }

  @Test(arguments: [.vaultLocked, .vaultUnavailable, .io] as [StorageError.Code])
  func `a vault that takes no key leaves everything as it was`(code: StorageError.Code)
    async throws
  {
    let store = try await makeStore()
    let refusal = StorageError(code, "no", advice: "do")
    await expect(code) {
      try await SecureStore.replace(storeAt: home.store) { _ in
        [LookingVault(refusal: refusal) {}]
      }
    }
    #expect(TemporaryHome.names(in: home.path) == ["store"])
    #expect(try store.string(forKey: "colour") == "blue")
    try await store.set("red", forKey: "colour")
    #expect(try await home.open().string(forKey: "colour") == "red")
  }

  @Test func `while the new key is made, the old store is in its place`() async throws {
    try await makeStore().close()
    let (path, before) = (
      home.store + "/store.db", TemporaryHome.bytes(of: home.store + "/store.db")
    )
    let looks = Mutex(0)
    _ = try await SecureStore.replace(storeAt: home.store) { [home] directory in
      let vault = FileVault(path: directory + "/store.key")
      return [
        RelayingVault(vault: vault) {
          // What a process that is killed here leaves behind.
          #expect(TemporaryHome.bytes(of: path) == before)
          #expect(!TemporaryHome.bytes(of: home.keyFile).isEmpty)
          looks.withLock { $0 += 1 }
        }
      ]
    }
    #expect(looks.withLock { $0 } == 1)
    #expect(try await home.open().keys() == [])
  }

  /// A vault that looks about before it keeps a key.
  private struct RelayingVault: KeyVault {
    let vault: FileVault
    let look: @Sendable () -> Void

    var name: VaultName { vault.name }

    func rootKey() throws(StorageError) -> RootKey? { try vault.rootKey() }

    func setRootKey(_ key: RootKey?) throws(StorageError) {
      look()
      try vault.setRootKey(key)
    }
  }

  @Test func `without a store there is nothing to replace, and none is made`() async throws {
    await expect(.io) {
      try await SecureStore.replace(storeAt: home.store) { fileVault(in: $0) }
    }
    #expect(TemporaryHome.names(in: home.path) == [])
  }

  @Test func `what was set aside is put back where the making of another one has failed`()
    async throws
  {
    try await makeStore().close()
    let aside = try await SecureStore.setAside(storeAt: home.store)
    let refusal = StorageError(.vaultLocked, "no", advice: "do")
    await expect(.vaultLocked) {
      try await SecureStore.open(
        at: home.store,
        vault: LookingVault(refusal: refusal) {}
      )
    }
    try await SecureStore.putBack(aside, at: home.store)
    #expect(try await home.open().string(forKey: "colour") == "blue")
  }

  @Test func `where a file system cannot exchange names, they are exchanged one by one`() throws {
    for name in ["one", "other"] {
      mkdir(home.path + "/" + name, 0o700)
      TemporaryHome.write(Array(name.utf8), to: "\(home.path)/\(name)/file")
    }
    func content(_ name: String) -> [UInt8] { TemporaryHome.bytes(of: "\(home.path)/\(name)/file") }
    let (one, other) = (home.path + "/one", home.path + "/other")
    try DirectoryExchange.inSteps(one, other, by: home.path + "/between")
    #expect(content("one") == Array("other".utf8) && content("other") == Array("one".utf8))
    try DirectoryExchange.perform(one, other, by: home.path + "/between")
    #expect(content("one") == Array("one".utf8) && content("other") == Array("other".utf8))
    #expect(throws: StorageError.self) {
      try DirectoryExchange.inSteps(one, home.path + "/absent", by: home.path + "/between")
    }
    #expect(content("one") == Array("one".utf8))
    #expect(TemporaryHome.names(in: home.path) == ["one", "other"])
  }
}
