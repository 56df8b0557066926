import SecureStorageTesting
import SessionModels
import Testing

@testable import SecureStorage

/// What belongs to whoever is signed in goes with the session, whoever ends it, and however.
@Suite struct SessionValuesTests {
  private let home = TemporaryHome()

  private func signIn(
    _ store: SecureStore,
    as user: String = "u1",
    _ generation: UInt64 = 7
  ) async throws {
    try await SecureSessionStorage(store: store).update { _ in
      SessionRecord(
        generation: generation,
        authInfo: SecureSessionStorageTests.info(user),
        signOutReason: .never
      )
    }
  }

  @Test func `values survive a restart, and a refresh`() async throws {
    var store = try await home.open()
    try await signIn(store)
    #expect(try await SessionValues(store: store).update("a/b", of: 7) { _ in .set([1, 2]) })
    #expect(try await SessionValues(store: store).update("empty", of: 7) { _ in .set([]) })
    store.close()
    store = try await home.open()
    try await signIn(store)
    let values = SessionValues(store: store)
    #expect(try values.generation() == 7)
    #expect(try values.data(forKey: "a/b", of: 7) == [1, 2])
    #expect(try values.data(forKey: "empty", of: 7) == [])
    #expect(try values.data(forKey: "b", of: 7) == nil)
    #expect(try values.keys(of: 7) == ["a/b", "empty"])
    #expect(try store.keys() == [])
  }

  @Test func `a change sees the value as it is, keeps it or removes it`() async throws {
    let store = try await home.open()
    try await signIn(store)
    let values = SessionValues(store: store)
    for number in 1...3 as ClosedRange<UInt8> {
      _ = try await values.update("a", of: 7) { .set(($0 ?? []) + [number]) }
    }
    _ = try await values.update("a", of: 7) { _ in .keep }
    #expect(try values.data(forKey: "a", of: 7) == [1, 2, 3])
    _ = try await values.update("a", of: 7) { _ in .remove }
    #expect(try values.keys(of: 7) == [])
    #expect(try store.keys(in: .session) == ["session"])
  }

  /// Everything that ends a session.
  enum End: CaseIterable {
    case logout, wipeWithoutKey, refusedByServer, anotherAccount, sameAccountAgain
  }

  @Test(arguments: End.allCases)
  func `R4: whatever ends the session removes them, and nothing brings one back`(end: End)
    async throws
  {
    var store = try await home.open()
    try await signIn(store)
    let secret = Array("between us, 0123456789".utf8)
    _ = try await SessionValues(store: store).update("a", of: 7) { _ in .set(secret) }
    let sessions = SecureSessionStorage(store: store)
    switch end {
    case .logout: try await sessions.wipe(reason: .userRequested)
    case .wipeWithoutKey:
      store.close()
      try await SecureSessionStorage.wipe(storeAt: home.store, reason: .userRequested)
      store = try await home.open()
    case .refusedByServer:
      try await sessions.update { _ in
        SessionRecord(generation: 8, authInfo: nil, signOutReason: .revoked)
      }
    case .anotherAccount: try await signIn(store, as: "u2", 8)
    case .sameAccountAgain: try await signIn(store, 8)
    }
    let values = SessionValues(store: store)
    #expect(try values.data(forKey: "a", of: 7) == nil)
    #expect(try values.keys(of: 7) == [])
    #expect(try store.keys(in: .session).filter { $0 != "session" } == [])
    // Whoever still works for the session that is over writes nothing.
    #expect(try await !values.update("a", of: 7) { _ in .set(secret) })
    try await signIn(store, as: "u3", 9)
    #expect(try values.generation() == 9)
    #expect(try values.data(forKey: "a", of: 9) == nil)
    #expect(try values.keys(of: 9) == [])
  }

  @Test func `signed out there is no generation, and nothing is taken`() async throws {
    let values = SessionValues(store: try await home.open())
    #expect(try values.generation() == nil)
    #expect(try await !values.update("a", of: 0) { _ in .set([1]) })
  }

  @Test func `another process's sign-out is seen at once`() async throws {
    let engine = InMemoryEngine()
    let vault = InMemoryVault()
    let (here, there) = (
      try await SecureStore.open(engine: engine, vault: vault),
      try await SecureStore.open(engine: engine.sibling(), vault: vault)
    )
    try await signIn(here)
    let values = SessionValues(store: here)
    _ = try await values.update("a", of: 7) { _ in .set([1]) }
    #expect(try SessionValues(store: there).data(forKey: "a", of: 7) == [1])
    try await SecureSessionStorage(store: there).wipe(reason: .userRequested)
    #expect(try values.generation() == nil)
    #expect(try values.data(forKey: "a", of: 7) == nil)
  }

  @Test func `they move with the session`() async throws {
    let other = TemporaryHome()
    let (source, target) = (try await home.open(), try await other.open())
    try await signIn(source)
    _ = try await SessionValues(store: source).update("unsent", of: 7) { _ in .set([1]) }
    #expect(try await target.importing(from: StoreImport(source)).movedSession)
    let values = SessionValues(store: target)
    let generation = try #require(try values.generation())
    #expect(try values.data(forKey: "unsent", of: generation) == [1])
    #expect(try SessionValues(store: source).keys(of: 7) == [])
    #expect(try target.keys(in: .session).count == 2)
  }

  @Test func `one that is damaged costs no session, and is named`() async throws {
    let store = try await home.open()
    try await signIn(store)
    for key in ["a", "b"] {
      let filler = Array(repeating: UInt8(ascii: "x"), count: 20_000)
      _ = try await SessionValues(store: store).update(key, of: 7) { _ in .set(filler) }
    }
    store.close()
    let files = Dictionary(
      uniqueKeysWithValues: TemporaryHome.names(in: home.store).map {
        ($0, TemporaryHome.bytes(of: home.store + "/" + $0))
      }
    )
    let sample = try #require(files["store.db"])
    var repaired = 0
    // From the end of the file, where the values lie; a page of another kind costs something else.
    for page in stride(from: sample.count - 4096, to: 4095, by: -4096) where repaired < 2 {
      var damaged = sample
      for byte in page..<page + 4096 { damaged[byte] = 0 }
      if damaged == sample { continue }
      for name in TemporaryHome.names(in: home.store) {
        TemporaryHome.remove(home.store + "/" + name)
      }
      for (name, bytes) in files {
        TemporaryHome.write(name == "store.db" ? damaged : bytes, to: home.store + "/" + name)
      }
      let vault = FileVault(path: home.keyFile)
      guard let repair = try? await SecureStore.repair(storeAt: home.store, vault: vault) else {
        continue
      }
      let isValueOnly =
        !repair.lost.isEmpty
        && repair.lost.allSatisfy { $0.hasPrefix("<namespace 2> value.7.") }
      guard isValueOnly else { continue }
      repaired += 1
      let again = try await home.open()
      #expect(try SecureSessionStorage(store: again).record().authInfo != nil, "page \(page)")
      again.close()
    }
    #expect(repaired == 2)
  }

  @Test func `a vault counts them like the app's own values, and the session at once`()
    async throws
  {
    let vault = InMemoryCountingVault()
    let uptime = TestUptime()
    let store = try await SecureStore.open(
      engine: InMemoryEngine(),
      options: StoreOptions(uptime: { uptime.now }),
      vault: vault
    )
    try await signIn(store)
    let signedIn = vault.value
    for number in 0..<10 as Range<UInt8> {
      _ = try await SessionValues(store: store).update("a", of: 7) { _ in .set([number]) }
    }
    #expect(vault.value == signedIn)
    try await SecureSessionStorage(store: store).wipe(reason: .userRequested)
    #expect(vault.value != signedIn)
  }
}
