#if KernelKeyring && os(Linux)
import Dispatch
import Foundation
import Glibc
import Testing

@testable import SecureStorage

@Suite struct KernelKeyringVaultTests {
  private let account = KeyringAccount()

  private func same(_ one: RootKey?, _ other: RootKey) -> Bool { one?.isSame(as: other) == true }

  @Test func `a key is there for every later vault, replaced as a whole, and gone when forgotten`()
    throws
  {
    guard try account.isAllowed() else { return }
    #expect(try account.vault().rootKey() == nil)
    for _ in 0..<3 {
      let key = RootKey.random()
      try account.vault().setRootKey(key)
      #expect(same(try account.vault().rootKey(), key))
    }
    try account.vault().setRootKey(nil)
    #expect(try account.vault().rootKey() == nil)
    try account.vault().setRootKey(nil)
  }

  @Test func `a store lives as long as its key, and says then why it is lost`() async throws {
    guard try account.isAllowed() else { return }
    let home = TemporaryHome()
    let store = try await SecureStore.open(at: home.store, vault: account.vault())
    try await store.set("1", forKey: "a")
    _ = try await store.rekey()
    store.close()
    let again = try await SecureStore.open(at: home.store, vault: account.vault())
    #expect(try again.string(forKey: "a") == "1")
    again.close()
    try account.vault().setRootKey(nil)
    do throws(StorageError) {
      _ = try await SecureStore.open(at: home.store, vault: account.vault())
      Issue.record("a store without its key was opened")
    } catch {
      #expect(error.code == .keyLost && error.message.contains("reboot"), "\(error)")
    }
  }

  @Test func `a key is absent after its time`() throws {
    guard try account.isAllowed() else { return }
    let key = RootKey.random()
    try account.vault(timeout: .seconds(1)).setRootKey(key)
    // The kernel tells nobody when a key's time is over, and its clock is the only one.
    let patience = ContinuousClock.now + .seconds(60)
    while try account.vault().rootKey() != nil, ContinuousClock.now < patience { usleep(20_000) }
    #expect(try account.vault().rootKey() == nil)
    // And there is room for the next one while the kernel still remembers it.
    try account.vault(timeout: .seconds(100)).setRootKey(key)
    #expect(same(try account.vault().rootKey(), key))
  }

  @Test func `what is no key of ours is a lost key`() async throws {
    guard try account.isAllowed() else { return }
    let good = Checksummed.frame(Array("SSKV".utf8) + [1] + [UInt8](repeating: 7, count: 32))
    for place in good.indices {
      var content = good
      content[place] ^= 1
      try KernelKeyring().keep(content, as: "mobile-auth-core:\(account.name)", for: nil)
      await expect(.keyLost) { try account.vault().rootKey() }
    }
    for content in [[0], [UInt8](repeating: 0, count: 1000)] as [[UInt8]] {
      try KernelKeyring().keep(content, as: "mobile-auth-core:\(account.name)", for: nil)
      await expect(.keyLost) { try account.vault().rootKey() }
    }
    let newer = Checksummed.frame(Array("SSKV".utf8) + [2])
    try KernelKeyring().keep(newer, as: "mobile-auth-core:\(account.name)", for: nil)
    await expect(.newerFormat) { try account.vault().rootKey() }
  }

  @Test func `sessions that do not hold the user's keyring share the key, and nobody else may`()
    throws
  {
    guard try account.isAllowed() else { return }
    let (vault, key) = (account.vault(), RootKey.random())
    try inSessionOfItsOwn { try vault.setRootKey(key) }
    #expect(same(try vault.rootKey(), key))
    try inSessionOfItsOwn {
      #expect(same(try vault.rootKey(), key))
      try vault.setRootKey(key)
    }
    let keys = String(decoding: TemporaryHome.bytes(of: "/proc/keys"), as: UTF8.self)
    let line = keys.split(separator: "\n").first { $0.contains(account.name.prefix(20)) }
    #expect(try #require(line).contains(" 3f3f0000 "))
    try inSessionOfItsOwn { try vault.setRootKey(nil) }
    #expect(try vault.rootKey() == nil)
  }

  @Test(arguments: [EDQUOT, EPERM, ENOSYS, ENOMEM])
  func `what the kernel refuses is unavailable, with advice`(_ code: CInt) {
    let error = KernelKeyring.failure("make", code)
    #expect(error.code == .vaultUnavailable && !error.advice.isEmpty)
  }

  /// Runs `body` on a thread of its own that has left the session's keyring: a session is a
  /// thread's own to the kernel.
  private func inSessionOfItsOwn(_ body: @escaping @Sendable () throws -> Void) throws {
    typealias Join = @convention(c) (UnsafePointer<CChar>?) -> Int32
    let library = try #require(dlopen("libkeyutils.so.1", RTLD_NOW))
    let symbol = try #require(dlsym(library, "keyctl_join_session_keyring"))
    let join = unsafeBitCast(symbol, to: Join.self)
    let done = DispatchSemaphore(value: 0)
    let outcome = Outcome()
    Thread.detachNewThread {
      outcome.result = Result {
        try #require(join(nil) >= 0)
        try body()
      }
      done.signal()
    }
    done.wait()
    try outcome.result?.get()
  }

  // Written by one thread, and read by another once that has signalled.
  private final class Outcome: @unchecked Sendable {
    var result: Result<Void, any Error>?
  }
}
#endif
