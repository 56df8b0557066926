#if TPM2 && os(Linux)
import Testing

@testable import SecureStorage

@Suite struct TPM2VaultTests {
  private func same(_ one: RootKey?, _ other: RootKey) -> Bool { one?.isSame(as: other) == true }

  @Test
  func `a key that one vault sealed is unsealed by every later one, and lies nowhere in plain`()
    throws
  {
    let tpm = try SoftwareTPM()
    let key = RootKey.random()
    #expect(try tpm.vault().rootKey() == nil)
    try tpm.vault().setRootKey(key)
    #expect(same(try tpm.vault().rootKey(), key))
    tpm.stop()
    try tpm.start()
    #expect(same(try tpm.vault().rootKey(), key))
    let file = TemporaryHome.bytes(of: tpm.path())
    let secret = key.withBytes { Array($0) }
    #expect(
      file.count > 200 && !file.contains(secret) && TemporaryHome.mode(of: tpm.path()) == 0o600
    )
    try tpm.vault().setRootKey(nil)
    #expect(try tpm.vault().rootKey() == nil)
    #expect(TemporaryHome.names(in: tpm.home.path + "/vaults") == [])
  }

  @Test func `neither key nor counter's authorization crosses the bus in plain`() throws {
    let tpm = try SoftwareTPM()
    let secret = (1...32 as ClosedRange<UInt8>).bytes
    let key = try #require(RootKey(secret))
    // Tag, handle and authorization are drawn in this order.
    let authorization = (0x64...0x83 as ClosedRange<UInt8>).bytes
    let vault = TPM2Vault(path: tpm.path(), tcti: tpm.tcti, random: .counting(from: 0x40))
    try vault.setRootKey(key)
    #expect(same(try tpm.vault().rootKey(), key))
    _ = try tpm.vault().count()
    tpm.stop()
    let traffic = tpm.traffic
    let stored = try TPM2File(TemporaryHome.bytes(of: tpm.path()).dropLast(16), path: "")
    #expect(traffic.contains(stored.sealed.privatePart) && traffic.contains(stored.counter.tag))
    #expect(!traffic.contains(secret) && !traffic.contains(secret.prefix(16)))
    #expect(!traffic.contains(authorization))
  }

  @Test func `a store in a TPM opens again, and its key can be changed and moved`() async throws {
    let tpm = try SoftwareTPM()
    let home = TemporaryHome()
    let store = try await SecureStore.open(at: home.store, vault: tpm.vault())
    try await store.set("1", forKey: "a")
    _ = try await store.rekey()
    store.close()
    tpm.stop()
    await expect(.vaultUnavailable) {
      try await SecureStore.open(at: home.store, vault: tpm.vault())
    }
    try tpm.start()
    let again = try await SecureStore.open(at: home.store, vault: tpm.vault())
    #expect(try again.string(forKey: "a") == "1")
    _ = try await again.rekey(to: FileVault(path: home.keyFile))
    again.close()
    #expect(try await home.open().string(forKey: "a") == "1")
    #expect(try tpm.indices() == [])
  }

  @Test func `another TPM, or the same one cleared, is a wrong key`() async throws {
    let tpm = try SoftwareTPM()
    try tpm.vault().setRootKey(.random())
    try tpm.replace()
    await expect(.wrongKey) { try tpm.vault().rootKey() }
    await expect(.wrongKey) { try tpm.vault().setRootKey(.random()) }
    try tpm.vault().setRootKey(nil)
    try tpm.vault().setRootKey(.random())
    try tpm.clear()
    await expect(.wrongKey) { try tpm.vault().rootKey() }
  }

  @Test
  func `every flipped bit of the file is a lost key, with a mended checksum never another key`()
    async throws
  {
    let tpm = try SoftwareTPM()
    let key = RootKey.random()
    try tpm.vault().setRootKey(key)
    let bytes = TemporaryHome.bytes(of: tpm.path())
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 0x10
      TemporaryHome.write(damaged, to: tpm.path())
      await expect(.keyLost) { try tpm.vault().rootKey() }
    }
    let content = Array(bytes.dropLast(16))
    for place in content.indices {
      var forged = content
      forged[place] ^= 0x10
      TemporaryHome.write(Checksummed.frame(forged), to: tpm.path())
      do throws(StorageError) {
        // The counter's part stands outside the seal.
        #expect(same(try tpm.vault().rootKey(), key) && place >= content.count - 36)
      } catch {
        let codes: [StorageError.Code] = [.keyLost, .wrongKey, .newerFormat]
        #expect(codes.contains(error.code), "byte \(place): \(error)")
      }
    }
  }

  @Test func `the counter goes on across restarts and changes of the key, and goes with the key`()
    throws
  {
    let tpm = try SoftwareTPM()
    try tpm.vault().setRootKey(.random())
    let first = try #require(try tpm.vault().counter())
    let vault = tpm.vault()
    #expect(try vault.count() == first + 1)
    #expect(try vault.count() == first + 2)
    tpm.kill()
    try tpm.start()
    #expect(try vault.counter() == first + 2)
    try tpm.vault().setRootKey(.random())
    #expect(try tpm.vault().count() == first + 3)
    #expect(try vault.count() == first + 4)
    #expect(try tpm.indices().count == 1)
    try vault.setRootKey(nil)
    #expect(try tpm.indices() == [])
    #expect(try vault.counter() == nil)
  }

  @Test func `a counter that was removed is missed, and the next is above it`() throws {
    let tpm = try SoftwareTPM()
    let vault = tpm.vault()
    try vault.setRootKey(.random())
    let last = try vault.count()
    let handle = try #require(try tpm.indices().first)
    try tpm.removeIndex(handle)
    #expect(try vault.counter() == nil)
    // Somebody else's in its place is not ours.
    #expect(try tpm.defineIndex(handle, size: 8))
    #expect(try vault.counter() == nil)
    #expect(try vault.count() > last)
    #expect(try tpm.indices().count == 2)
    #expect(try tpm.vault().counter() == vault.counter())
    try vault.setRootKey(nil)
    #expect(try tpm.indices() == [handle])
  }

  @Test func `stores on one TPM know nothing of each other`() throws {
    let tpm = try SoftwareTPM()
    let keys = try (0..<4).map { number in
      let key = RootKey.random()
      try tpm.vault("\(number)").setRootKey(key)
      return key
    }
    for (number, key) in keys.enumerated() {
      #expect(same(try tpm.vault("\(number)").rootKey(), key))
    }
    let before = try tpm.vault("1").counter()
    _ = try tpm.vault("0").count()
    #expect(try tpm.vault("1").counter() == before)
    try tpm.vault("0").setRootKey(nil)
    #expect(same(try tpm.vault("1").rootKey(), keys[1]))
    #expect(try tpm.indices().count == 3)
  }
}
#endif
