import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

@Suite struct SecureSessionStorageTests {
  static func info(_ user: String = "u1", refresh: String = "refresh-token-0123456789") -> AuthInfo
  {
    AuthInfo(
      session: Session(
        accessToken: AccessToken(Secret("access-token-0123456789")),
        refreshToken: Secret(refresh),
        userID: UserID(user)
      ),
      dialect: .skyConnect,
      tokenModel: .accessRefresh,
      baseURL: "http://localhost:3001",
      deviceID: .mobileApp
    )
  }

  @Test func `an empty store says that nobody ever signed in`() async throws {
    let home = TemporaryHome()
    let storage = SecureSessionStorage(store: try await home.open())
    #expect(try storage.record() == .empty)
  }

  @Test func `R3: a session survives a restart`() async throws {
    let home = TemporaryHome()
    do {
      let store = try await home.open()
      let storage = SecureSessionStorage(store: store)
      try await storage.update { record in
        var record = record
        record.generation = 7
        record.authInfo = Self.info()
        record.attempt = RefreshAttempt(id: "a", fingerprint: SecretFingerprint(of: Secret("x")))
        return record
      }
      store.close()
    }
    let storage = SecureSessionStorage(store: try await home.open())
    let record = try storage.record()
    #expect(record.generation == 7)
    #expect(record.authInfo == Self.info())
    #expect(record.attempt?.id == "a")
    #expect(try storage.authInfo == Self.info())
  }

  @Test func `R4: wiping needs no key, says why, and begins another generation`() async throws {
    let home = TemporaryHome()
    let store = try await home.open()
    let storage = SecureSessionStorage(store: store)
    try await store.set("stays", forKey: "other")
    try await storage.update {
      SessionRecord(generation: 7 + $0.generation, authInfo: Self.info(), signOutReason: .never)
    }
    store.close()
    try await SecureSessionStorage.wipe(storeAt: home.store, reason: .userRequested)
    let again = try await home.open()
    let record = try SecureSessionStorage(store: again).record()
    #expect(record.authInfo == nil)
    #expect(record.signOutReason == .userRequested)
    #expect(record.generation != 7 && record.generation != 0)
    #expect(try again.string(forKey: "other") == "stays")
    try await SecureSessionStorage(store: again).update { record in
      SessionRecord(generation: 9, authInfo: Self.info("u2"), signOutReason: .never)
    }
    #expect(try SecureSessionStorage(store: again).record().authInfo?.session.userID == "u2".id)
  }

  @Test func `R4: wiping gives what it removed, where that can be read`() async throws {
    let home = TemporaryHome()
    let store = try await home.open()
    let (storage, other) = (SecureSessionStorage(store: store), SecureSessionStorage(store: store))
    let first = SessionRecord(generation: 1, authInfo: Self.info(), signOutReason: .never)
    let second = SessionRecord(generation: 2, authInfo: Self.info("u2"), signOutReason: .never)
    try await storage.update { _ in first }
    #expect(try storage.record() == first)
    // Who signs out saw the first, and removes the second.
    try await other.update { _ in second }
    #expect(try await storage.wipe(reason: .userRequested) == second)
    let nobody = try #require(try await storage.wipe(reason: .userRequested))
    #expect(nobody.authInfo == nil && nobody.signOutReason == .userRequested)
    try await storage.update { _ in first }
    #expect(try await SecureSessionStorage.wipe(storeAt: home.store, reason: .revoked) == first)
    try await storage.update { _ in first }
    store.close()
    #expect(try await SecureSessionStorage.wipe(storeAt: home.store, reason: .revoked) == nil)
    #expect(try SecureSessionStorage(store: try await home.open()).record().authInfo == nil)
  }

  @Test func `R13: the present state first, then each change in order`() async throws {
    let home = TemporaryHome()
    let storage = SecureSessionStorage(store: try await home.open())
    var stream = storage.records().makeAsyncIterator()
    #expect(await stream.next() == .success(.empty))
    let first = SessionRecord(generation: 1, authInfo: Self.info(), signOutReason: .never)
    try await storage.update { _ in first }
    try await storage.wipe(reason: .revoked)
    #expect(await stream.next() == .success(first))
    let ended = try #require(await stream.next()).get()
    #expect(ended.signOutReason == .revoked)
    #expect(try storage.record() == ended)
  }
}

extension String {
  var id: UserID { UserID(self) }
}
