import SecureStorageTesting
import SessionModels
import SessionModelsTesting
import Testing

@testable import SecureStorage

@Suite struct SessionMoveTests {
  private let old = TemporaryHome()
  private let new = TemporaryHome()

  private func signIn(_ store: SecureStore, _ token: String) async throws -> SessionRecord {
    try await SecureSessionStorage(store: store).update { _ in
      SessionRecord(
        generation: 7,
        authInfo: SecureSessionStorageTests.info(refresh: token),
        signOutReason: .never,
        attempt: RefreshAttempt(id: "a", fingerprint: SecretFingerprint(of: Secret(token))),
        serverClockOffset: 3
      )
    }
  }

  @Test func `the session moves with its open attempt, and has one owner`() async throws {
    let (source, store) = (try await old.open(), try await new.open())
    var expected = try await signIn(source, "refresh-token-of-the-source")
    let outcome = try await store.importing(from: StoreImport(source))
    #expect(outcome == ImportOutcome(values: 0, movedSession: true))
    let moved = try SecureSessionStorage(store: store).record()
    #expect(moved.generation != 7 && moved.generation != 0)
    expected.generation = moved.generation
    #expect(moved == expected)
    let left = try SecureSessionStorage(store: source).record()
    #expect(left.authInfo == nil)
    #expect(left.attempt == nil)
    #expect(try store.keys(in: .session) == ["session"])
    // What the source had in flight finds another generation there.
    #expect(left.generation != 7)
  }

  @Test func `it stays where somebody is signed in here, and nothing is changed`() async throws {
    let (source, store) = (try await old.open(), try await new.open())
    try await source.set("blue", forKey: "colour")
    let there = try await signIn(source, "refresh-token-of-the-source")
    let here = try await signIn(store, "refresh-token-of-the-target")
    for replacing in [false, true] {
      await expect(.invalidInput) {
        try await store.importing(from: StoreImport(source), replacing: replacing)
      }
    }
    #expect(try SecureSessionStorage(store: source).record() == there)
    #expect(try SecureSessionStorage(store: store).record() == here)
    #expect(try store.keys().isEmpty)
    #expect(try source.keys() == ["colour"])
  }

  @Test func `a wiped source brings nothing, and a target that was wiped takes a session`()
    async throws
  {
    let (source, store) = (try await old.open(), try await new.open())
    _ = try await signIn(source, "refresh-token-of-the-source")
    try await SecureSessionStorage(store: source).wipe(reason: .userRequested)
    #expect(try await !store.importing(from: StoreImport(source)).movedSession)
    _ = try await signIn(source, "refresh-token-of-the-source")
    try await SecureSessionStorage(store: store).wipe(reason: .revoked)
    #expect(try await store.importing(from: StoreImport(source)).movedSession)
    #expect(try SecureSessionStorage(store: store).authInfo != nil)
  }

  /// Where a move was cut short: the session is parked, and the source has it, or has it no more,
  /// or has signed out by itself since.
  enum Cut: CaseIterable {
    case beforeSourceGaveUp, afterSourceGaveUp, sourceSignedOutSince, sourceRefreshedSince
  }

  @Test(arguments: Cut.allCases)
  func `a run after a crash finishes, and revives nothing that was signed out`(cut: Cut)
    async throws
  {
    let (source, store) = (try await old.open(), try await new.open())
    let record = try await signIn(source, "refresh-token-of-the-source")
    let parked = ParkedSession(record: record, successor: 99)
    try await store.set(parked.encoded(), forKey: ParkedSession.key, in: .session)
    let sessions = SecureSessionStorage(store: source)
    switch cut {
    case .beforeSourceGaveUp: break
    case .afterSourceGaveUp:
      try await sessions.update { _ in
        SessionRecord(generation: 99, authInfo: nil, signOutReason: .userRequested)
      }
    case .sourceSignedOutSince: try await sessions.wipe(reason: .userRequested)
    case .sourceRefreshedSince: _ = try await signIn(source, "refresh-token-of-later")
    }
    #expect(try SecureSessionStorage(store: store).authInfo == nil, "nobody uses it while parked")
    let outcome = try await store.importing(from: StoreImport(source))
    #expect(outcome.movedSession == (cut != .sourceSignedOutSince))
    let token = try SecureSessionStorage(store: store).authInfo?.session.refreshToken?.reveal()
    switch cut {
    case .beforeSourceGaveUp, .afterSourceGaveUp: #expect(token == "refresh-token-of-the-source")
    case .sourceSignedOutSince: #expect(token == nil)
    case .sourceRefreshedSince: #expect(token == "refresh-token-of-later")
    }
    #expect(try sessions.authInfo == nil)
    #expect(try !store.keys(in: .session).contains(ParkedSession.key))
  }

  @Test func `a sign-out takes a parked session along`() async throws {
    let (source, store) = (try await old.open(), try await new.open())
    let record = try await signIn(source, "refresh-token-of-the-source")
    let parked = ParkedSession(record: record, successor: 99)
    try await store.set(parked.encoded(), forKey: ParkedSession.key, in: .session)
    try await SecureSessionStorage(store: store).wipe(reason: .userRequested)
    #expect(try store.keys(in: .session).isEmpty)
  }
}
