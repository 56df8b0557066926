#if TPM2 && os(Linux)
import Dispatch
import Synchronization
import Testing

@testable import SecureStorage

@Suite struct TPM2TroubleTests {
  private func same(_ one: RootKey?, _ other: RootKey) -> Bool { one?.isSame(as: other) == true }

  @Test func `a TPM that is frozen does not hang the store, and one that goes on serves it`()
    async throws
  {
    let tpm = try SoftwareTPM()
    let home = TemporaryHome()
    let store = try await SecureStore.open(at: home.store, vault: tpm.vault())
    store.close()
    tpm.freeze()
    await expect(.vaultUnavailable) {
      try await SecureStore.open(at: home.store, vault: tpm.vault(patience: .milliseconds(50)))
    }
    tpm.thaw()
    _ = try await SecureStore.open(at: home.store, vault: tpm.vault())
  }

  @Test func `programs that use it at the same time wait for one another`() throws {
    let tpm = try SoftwareTPM()
    let key = RootKey.random()
    try tpm.vault().setRootKey(key)
    let before = try #require(try tpm.vault().counter())
    let vaults = (0..<8).map { _ in tpm.vault() }
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: vaults.count) { number in
      do {
        for _ in 0..<3 {
          if try vaults[number].rootKey()?.isSame(as: key) != true { throw CancellationError() }
          _ = try vaults[number].count()
        }
      } catch { failures.withLock { $0.append("\(error)") } }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try tpm.vault().counter() == before + 24)
  }

  @Test func `a TPM that dies in the middle of a conversation is unavailable`() async throws {
    let tpm = try SoftwareTPM()
    await expect(.vaultUnavailable) {
      try TPM2Connection.run(tpm.tcti) { connection throws(StorageError) in
        _ = try connection.parent()
        tpm.kill()
        _ = try connection.hasOwnerPassword()
      }
    }
    await expect(.vaultUnavailable) { try tpm.vault().rootKey() }
  }

  @Test(arguments: [
    "nonsense", "nonsense:x=y", "swtpm:path=/nowhere/at/all", "swtpm:nonsense", "swtpm:port=x",
    "device:/dev/null", "device:/nowhere", "mssim:host=localhost,port=1", ":", " ",
  ])
  func `what names no TPM is unavailable, with advice`(_ tcti: String) async {
    let home = TemporaryHome()
    await expect(.vaultUnavailable) {
      try TPM2Vault(path: home.path + "/tpm2", tcti: tcti).rootKey()
    }
  }

  @Test(
    arguments: [
      ([:], nil), (["TSS2_TCTI": "a", "TPM2TOOLS_TCTI": "b"], "a"), (["TPM2TOOLS_TCTI": "b"], "b"),
      (["TSS2_TCTI": "", "TPM2TOOLS_TCTI": "b"], "b"),
    ] as [([String: String], String?)]
  )
  func `the environment names the TPM`(_ environment: [String: String], _ tcti: String?) {
    #expect(TPM2Vault.tcti(in: environment) == tcti)
  }

  @Test func `an owner's password makes it unavailable, for the first key and for later ones`()
    async throws
  {
    let tpm = try SoftwareTPM()
    try tpm.vault().setRootKey(.random())
    try tpm.setOwnerPassword()
    await expect(.vaultUnavailable) { try tpm.vault("other").rootKey() }
    await expect(.vaultUnavailable) { try tpm.vault("other").setRootKey(.random()) }
    await expect(.vaultUnavailable) { try tpm.vault().rootKey() }
    #expect(TemporaryHome.names(in: tpm.home.path + "/vaults") == ["store.tpm2"])
  }

  @Test func `the storage root key of a set-up machine is used, whatever the owner's password`()
    throws
  {
    let tpm = try SoftwareTPM()
    try tpm.setUpStorageRootKey()
    let key = RootKey.random()
    try tpm.vault().setRootKey(key)
    try tpm.setOwnerPassword()
    #expect(same(try tpm.vault().rootKey(), key))
    let before = try #require(try tpm.vault().counter())
    #expect(try tpm.vault().count() == before + 1)
  }

  @Test func `objects that killed programs left behind do not stop it`() throws {
    let tpm = try SoftwareTPM()
    for _ in 0..<3 { try tpm.makeStorageKey() }
    let key = RootKey.random()
    try tpm.vault().setRootKey(key)
    for _ in 0..<2 { try tpm.makeStorageKey() }
    #expect(same(try tpm.vault().rootKey(), key))
    // And it leaves nothing behind itself.
    for _ in 0..<5 { #expect(same(try tpm.vault().rootKey(), key)) }
    #expect(
      try TPM2Connection.run(tpm.tcti) { tpm throws(StorageError) in
        try tpm.handles(from: 0x8000_0000) + tpm.handles(from: 0x0200_0000)
      } == []
    )
  }

  @Test func `a TPM without room for a counter keeps no key`() async throws {
    let tpm = try SoftwareTPM()
    var next: UInt32 = 0x0180_0000
    for size in [2048, 256, 32, nil] as [UInt16?] {
      while try tpm.defineIndex(next, size: size) { next += 1 }
    }
    await expect(.vaultUnavailable) { try tpm.vault().setRootKey(.random()) }
    #expect(TemporaryHome.names(in: tpm.home.path + "/vaults") == [])
    try tpm.removeIndex(0x0180_0000)
    try tpm.vault().setRootKey(.random())
  }

  @Test func `a TPM that nobody has started is started`() throws {
    let tpm = try SoftwareTPM()
    tpm.stop()
    try tpm.start(flags: "not-need-init")
    try tpm.vault().setRootKey(.random())
  }

  @Test(
    arguments: [
      (0x0, .failed), (0x922, .later), (0x90A, .later), (0x100, .notStarted), (0x902, .outOfSlots),
      (0x910, .displaced), (0x918, .displaced),
      (0x984, .displaced),
      (0x18B, .absent), (0x98E, .unauthorized), (0x9A2, .unauthorized), (0x1DF, .refused),
      (0x14C, .taken), (0x14B, .full), (0x14A, .unwritten), (0x185, .disabled), (0x921, .lockedOut),
      (0x101, .failed), (0xA000A, .unreachable), (0x7000A, .unreachable), (0x7001B, .forged),
      (0x80001, .failed), (0xC0922, .later),
    ] as [(UInt32, TPM2Answer)]
  )
  func `response codes of every layer are understood`(_ code: UInt32, _ answer: TPM2Answer) {
    #expect(TPM2Answer(code) == answer)
  }
}
#endif
