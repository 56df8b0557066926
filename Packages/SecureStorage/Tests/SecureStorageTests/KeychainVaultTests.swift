import SecureStorage
import SecureStorageTesting
import Testing

@Suite struct KeychainVaultTests {
  private let keychain = InMemoryKeychain()

  private func vault(
    _ account: String = "ada",
    group: String? = nil,
    accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly
  ) -> KeychainVault {
    KeychainVault(
      service: "com.example.app",
      account: account,
      accessGroup: group,
      accessibility: accessibility,
      keychain: keychain
    )
  }

  private func bytes(_ key: RootKey?) -> [UInt8]? { key?.withBytes { Array($0) } }

  @Test func `a key is absent, set, replaced and forgotten`() throws {
    let (first, second) = (RootKey.random(), RootKey.random())
    #expect(try vault().rootKey() == nil)
    try vault().setRootKey(first)
    #expect(bytes(try vault().rootKey()) == bytes(first))
    try vault().setRootKey(second)
    #expect(bytes(try vault().rootKey()) == bytes(second))
    #expect(!keychain.calls.contains("delete"), "a crash after it would lose the key")
    try vault().setRootKey(nil)
    #expect(try vault().rootKey() == nil)
    #expect(keychain.contents.isEmpty, "the counter goes with it")
    try vault().setRootKey(nil)
  }

  @Test func `accounts and access groups have keys of their own`() throws {
    let (ada, bob, shared) = (RootKey.random(), RootKey.random(), RootKey.random())
    try vault("ada").setRootKey(ada)
    try vault("bob").setRootKey(bob)
    try vault("ada", group: "TEAM.shared").setRootKey(shared)
    #expect(bytes(try vault("ada", group: "TEAM.app").rootKey()) == bytes(ada))
    #expect(bytes(try vault("bob").rootKey()) == bytes(bob))
    #expect(bytes(try vault("ada", group: "TEAM.shared").rootKey()) == bytes(shared))
    #expect(throws: StorageError.self) { try vault("ada", group: "OTHER.app").rootKey() }
  }

  @Test func `an item of another accessibility is found, and takes the new one`() throws {
    try vault().setRootKey(.random())
    let strict = vault(accessibility: .whenUnlockedThisDeviceOnly)
    keychain.setDevice(.locked)
    #expect(try strict.rootKey() != nil)
    keychain.setDevice(.unlocked)
    try strict.setRootKey(.random())
    keychain.setDevice(.locked)
    #expect(throws: StorageError.self) { try strict.rootKey() }
  }

  @Test(arguments: [
    (KeychainAccessibility.afterFirstUnlockThisDeviceOnly, [false, true, true]),
    (.whenUnlockedThisDeviceOnly, [false, true, false]),
    (.whenPasscodeSetThisDeviceOnly, [false, true, false]),
  ])
  func `R14: a locked device is a locked vault, and the key comes back`(
    accessibility: KeychainAccessibility,
    readable: [Bool]
  ) throws {
    let vault = vault(accessibility: accessibility)
    try vault.setRootKey(.random())
    for (device, isReadable) in zip(InMemoryKeychain.Device.allCases, readable) {
      keychain.setDevice(device)
      if isReadable {
        #expect(try vault.rootKey() != nil)
      } else {
        let error = #expect(throws: StorageError.self) { try vault.rootKey() }
        #expect(error?.code == .vaultLocked)
        let onSetting = #expect(throws: StorageError.self) { try vault.setRootKey(.random()) }
        #expect(onSetting?.code == .vaultLocked)
      }
    }
    keychain.setDevice(.unlocked)
    #expect(try vault.rootKey() != nil)
  }

  @Test(arguments: [
    (KeychainStatus.interactionNotAllowed, StorageError.Code.vaultLocked),
    (.interactionRequired, .vaultLocked), (.authenticationFailed, .vaultLocked),
    (.userCanceled, .vaultLocked), (.missingEntitlement, .vaultUnavailable),
    (.notAvailable, .vaultUnavailable), (.parameter, .vaultUnavailable),
    (.duplicateItem, .vaultUnavailable), (KeychainStatus(rawValue: -4), .vaultUnavailable),
    (.decode, .keyLost), (.diskFull, .io), (.inputOutput, .io),
  ])
  func `each status is a typed error that says what to do, and never an absence`(
    status: KeychainStatus,
    code: StorageError.Code
  ) throws {
    let key = RootKey.random()
    try vault().setRootKey(key)
    keychain.fail(with: status)
    let error = #expect(throws: StorageError.self) { try vault().rootKey() }
    #expect(error?.code == code)
    #expect(error?.advice.isEmpty == false)
    #expect(error?.message.contains("\(status.rawValue)") == true)
    let onSetting = #expect(throws: StorageError.self) { try vault().setRootKey(.random()) }
    #expect(onSetting?.code == code)
    let onCounting = #expect(throws: StorageError.self) { try vault().count() }
    #expect(onCounting?.code == code)
    keychain.fail(with: nil)
    #expect(bytes(try vault().rootKey()) == bytes(key))
  }

  @Test(arguments: [0, 31, 33])
  func `an item of another length is a lost key, and no counter`(length: Int) throws {
    try vault().setRootKey(.random())
    keychain.overwriteAll(with: [UInt8](repeating: 7, count: length))
    let error = #expect(throws: StorageError.self) { try vault().rootKey() }
    #expect(error?.code == .keyLost)
    #expect(try vault().counter() == nil)
  }

  @Test func `it counts upwards, starts with the key, and goes on over a change of key`() throws {
    #expect(try vault().counter() == nil)
    try vault().setRootKey(.random())
    #expect(try vault().counter() == 0)
    #expect(try vault().count() == 1)
    #expect(try vault().count() == 2)
    try vault().setRootKey(.random())
    #expect(try vault().counter() == 2)
    try vault().setRootKey(nil)
    #expect(try vault().counter() == nil)
    #expect(try vault().count() == 1)
  }

  @Test func `R15: a key that outlives the app opens no session`() async throws {
    let home = TemporaryHome()
    let store = try await SecureStore.open(at: home.store, vault: vault())
    try await store.set("1", forKey: "a")
    store.close()
    let fresh = TemporaryHome()
    let again = try await SecureStore.open(at: fresh.store, vault: vault())
    #expect(again.notes.contains(.leftoverKey(.keychain)))
    #expect(try again.keys().isEmpty)
  }

  @Test func `a passcode that is removed takes a key that needed it along`() async throws {
    let home = TemporaryHome()
    let vault = vault(accessibility: .whenPasscodeSetThisDeviceOnly)
    let store = try await SecureStore.open(at: home.store, vault: vault)
    store.close()
    keychain.removePasscode()
    await expect(.keyLost) { try await SecureStore.open(at: home.store, vault: vault) }
  }
}

@Suite struct InMemoryKeychainTests {
  @Test func `it has the rules of the real one`() throws {
    let keychain = InMemoryKeychain()
    let query = KeychainQuery(service: "s", account: "a")
    let always = KeychainAccessibility.afterFirstUnlockThisDeviceOnly
    let bytes: [UInt8] = [1, 2, 3]
    #expect(throws: KeychainStatus.itemNotFound) { try keychain.copyMatching(query) }
    #expect(throws: KeychainStatus.itemNotFound) { try keychain.delete(query) }
    #expect(throws: KeychainStatus.itemNotFound) {
      try keychain.update(query, accessibility: always, data: bytes)
    }
    #expect(throws: Never.self) {
      try keychain.add(query, accessibility: always, data: bytes)
    }
    #expect(throws: KeychainStatus.duplicateItem) {
      try keychain.add(query, accessibility: .whenUnlockedThisDeviceOnly, data: bytes)
    }
    #expect(throws: KeychainStatus.missingEntitlement) {
      let foreign = KeychainQuery(service: "s", account: "a", accessGroup: "OTHER")
      try keychain.add(foreign, accessibility: always, data: bytes)
    }
    #expect(try keychain.copyMatching(query) == [1, 2, 3])
  }
}
