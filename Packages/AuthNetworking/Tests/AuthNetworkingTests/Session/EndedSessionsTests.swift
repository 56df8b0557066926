@testable import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// R4: what a sign-out revokes is what it ended, though another process was there last.
struct EndedSessionsTests {
  /// What another process does between the look at the store and its wiping.
  enum Between: CaseIterable { case signIn, refresh, signOut }

  @Test(arguments: Between.allCases)
  func `R4: what another process stores while somebody signs out is revoked, too`(
    between: Between
  ) async throws {
    let harness = SessionHarness()
    let storage = GatedStorage(harness.storage.sibling())
    let leaving = try harness.controller(storage: storage)
    let other = try harness.controller()
    storage.beforeWipe.shut()
    let logout = Task { await leaving.logout() }
    await storage.beforeWipe.arrival()
    switch between {
    case .signIn: try await other.signIn()
    case .refresh: try await other.refresh()
    case .signOut: #expect(await other.logout().revoked)
    }
    let last = try harness.record.authInfo
    storage.beforeWipe.open()
    #expect(await logout.value.revoked)
    await other.finishRevocations()
    #expect(try harness.record.authInfo == nil)
    #expect(harness.server.livingSessions == 0)
    // R2: the newest token is presented, and none that is spent.
    #expect(harness.server.counts.reuses == 0)
    let told = harness.network.requests.filter { $0.url.path == "/auth/logout" }.map { request in
      String(decoding: request.body ?? [], as: UTF8.self)
    }
    if let token = last?.session.refreshToken?.reveal() {
      #expect(told.contains { $0.contains(token) })
    }
  }

  @Test func `R4: who signs in where the store could not be read is not wiped away unrevoked`()
    async throws
  {
    let harness = SessionHarness(signedIn: false)
    let storage = GatedStorage(harness.storage.sibling())
    let (ours, other) = (try harness.controller(storage: storage), try harness.controller())
    harness.storage.failReads(
      with: StorageError(.damaged, "The store is damaged", advice: "Sign in again")
    )
    storage.beforeWipe.shut()
    let signIn = Task { try await ours.signIn() }
    await storage.beforeWipe.arrival()
    harness.storage.failReads(with: nil)
    try await other.signIn(as: RotatingServer.otherEmail)
    storage.beforeWipe.open()
    let info = try await signIn.value
    await ours.finishRevocations()
    #expect(try harness.record.authInfo == info)
    #expect(harness.server.livingSessions == 1)
    #expect(try await ours.get().status == 200)
  }

  /// Which tokens are known, by their names; those of generation 1 unless said otherwise.
  struct Case: Sendable, CustomTestStringConvertible {
    var held: String? = "held"
    var heldGeneration: UInt64 = 1
    var unsaved: String?
    var unsavedGeneration: UInt64 = 1
    var stored: String?
    var isReadable = true
    var revoked: [String]

    var testDescription: String { "\(self)" }
  }

  static let cases = [
    Case(stored: "held", revoked: ["held"]),
    Case(stored: "newer", revoked: ["newer"]),
    Case(held: nil, stored: "stored", revoked: ["stored"]),
    Case(heldGeneration: 9, stored: "another", revoked: ["another"]),
    Case(revoked: ["held"]),
    Case(isReadable: false, revoked: ["held"]),
    Case(unsaved: "rotated", stored: "held", revoked: ["rotated"]),
    Case(unsaved: "rotated", stored: "newer", revoked: ["newer"]),
    Case(unsaved: "rotated", isReadable: false, revoked: ["rotated"]),
    Case(unsaved: "old", unsavedGeneration: 9, stored: "another", revoked: ["another", "old"]),
    Case(held: nil, revoked: []),
    Case(held: nil, isReadable: false, revoked: []),
  ]

  @Test(arguments: cases)
  func `each session is revoked with its newest tokens`(known: Case) {
    #expect(ended(known).toRevoke.map { $0.session.refreshToken?.reveal() } == known.revoked)
  }

  @Test(arguments: [UInt64(1), 9])
  func `a token that is kept in memory only is that of its own session`(generation: UInt64) {
    var ended = ended(Case(heldGeneration: generation, stored: "stored", revoked: []))
    let stored = ended.stored?.authInfo
    ended.stored?.authInfo = stored?.withoutAccessToken
    let token = ended.toRevoke.first?.session.accessToken
    #expect(token == (generation == 1 ? ended.held?.accessToken : nil))
  }

  private func ended(_ known: Case) -> EndedSessions {
    let moment = VirtualClock().moment
    let clock = ServerClock(at: moment)
    func received(_ generation: UInt64) -> ReceivedToken {
      ReceivedToken(
        generation: generation,
        token: AccessToken(Secret("access-token-0123456789")),
        expiresIn: 900,
        from: .signIn,
        clock: clock,
        at: moment
      )
    }
    func info(_ refresh: String) -> AuthInfo {
      AuthInfo(
        session: Session(
          accessToken: AccessToken(Secret("access-of-\(refresh)-0123456789")),
          refreshToken: Secret(refresh),
          userID: UserID("user-1")
        ),
        dialect: .skyConnect,
        tokenModel: .accessRefresh,
        baseURL: SessionHarness.baseURL,
        deviceID: SessionHarness.deviceID
      )
    }
    var ended = EndedSessions()
    ended.held = known.held.map { token in
      HeldSession(
        generation: known.heldGeneration,
        info: info(token),
        life: received(known.heldGeneration).life,
        isStale: false
      )
    }
    ended.unsaved = known.unsaved.map { token in
      RotationCommit(
        presented: Secret("held"),
        attemptID: "attempt",
        received: received(known.unsavedGeneration),
        refreshToken: Secret(token),
        base: info("held"),
        keepsAccessTokenInMemory: false
      )
    }
    guard known.isReadable else { return ended }
    ended.stored = SessionRecord(
      generation: 1,
      authInfo: known.stored.map(info),
      signOutReason: .never
    )
    return ended
  }
}
