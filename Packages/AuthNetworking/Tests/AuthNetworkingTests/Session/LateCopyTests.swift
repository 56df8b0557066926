@testable import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Synchronization
import Testing

/// R2, R5: what was sent and given up may reach the server after its resend was answered.
struct LateCopyTests {
  /// What became of the first presentation, for all that the client knows.
  private static let losses: [RotatingServer.Fault] = [
    .lostRequest, .answer(status: 500), .answer(status: 504), .answer(status: 200, body: "<html>"),
  ]

  @Test(arguments: losses, [true, false])
  func `a late copy spends the token behind a resend that brought none, and ends no session`(
    loss: RotatingServer.Fault,
    isKilled: Bool
  ) async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.failRefreshes(loss, .withoutRefreshToken)
    let first = try harness.controller()
    _ = await failure { () throws(AuthError) in try await first.token() }
    let next = isKilled ? try harness.controller() : first
    try await next.refresh()
    #expect(try harness.record.attempt?.isAnswered == true)

    try arrive(0, at: harness)
    #expect(harness.server.counts.rotations == 1)

    try await next.refresh()
    #expect(try await next.get().status == 200)
    #expect(harness.server.counts.reuses == 0)
    #expect(next.state == .signedIn(.fresh))
    #expect(Set(harness.server.counts.refreshIDs).count == 1)
    #expect(try harness.record.attempt == nil)
    try await next.refresh()
    #expect(Set(harness.server.counts.refreshIDs).count == 2)
  }

  @Test func `it may come after any number of answers without a refresh token`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.failRefreshes(.lostRequest)
    for _ in 0..<5 { harness.server.failRefreshes(.withoutRefreshToken) }
    let controller = try harness.controller()
    _ = await failure { () throws(AuthError) in try await controller.token() }
    for _ in 0..<5 { try await controller.refresh() }
    try arrive(0, at: harness)
    try await controller.refresh()
    #expect(Set(harness.server.counts.refreshIDs).count == 1)
    #expect(harness.server.counts.reuses == 0)
    #expect(try await controller.get().status == 200)
  }

  @Test func `what is lost later is waited for from then on`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    let controller = try harness.controller()
    for fault in [RotatingServer.Fault.lostRequest, .withoutRefreshToken, .lostRequest] {
      harness.server.failRefreshes(fault)
      _ = await failure { () throws(AuthError) in try await controller.refresh() }
      harness.expireToken()
    }
    harness.server.failRefreshes(.withoutRefreshToken)
    try await controller.refresh()
    // The third one: the first is too old by now.
    try arrive(2, at: harness)
    try await controller.refresh()
    #expect(harness.server.counts.reuses == 0)
    #expect(try await controller.get().status == 200)
  }

  @Test func `a server that never rotates gets the same id once more, and then others`()
    async throws
  {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.failRefreshes(.lostRequest)
    let controller = try harness.controller()
    _ = await failure { () throws(AuthError) in try await controller.token() }
    for number in 0..<4 {
      harness.server.failRefreshes(.withoutRefreshToken)
      try await controller.refresh()
      #expect(try harness.record.attempt?.isAnswered == (number == 0 ? true : nil))
      harness.expireToken()
    }
    let ids = harness.server.counts.refreshIDs
    #expect(ids.count == 5)
    #expect(Set(ids[0...2]).count == 1)
    #expect(Set(ids[2...]).count == 3)
  }

  @Test(arguments: [true, false])
  func `a server that gives the first answer again is asked under an id of its own`(
    isExpired: Bool
  ) async throws {
    let harness = SessionHarness()
    let answers = Mutex<[String: HTTPResponse]>([:])
    let network = ScriptedTransport { [network = harness.network] request throws(TransportError) in
      guard request.url.path == "/auth/refresh", let id = request.headers["X-Request-Id"] else {
        return try await network.send(request)
      }
      if let known = answers.withLock({ $0[id] }) { return known }
      let answer = try await network.send(request)
      answers.withLock { $0[id] = answer }
      return answer
    }
    harness.expireToken()
    harness.server.failRefreshes(.lostRequest, .withoutRefreshToken, .withoutRefreshToken)
    let controller = try harness.controller(transport: network)
    _ = await failure { () throws(AuthError) in try await controller.token() }
    try await controller.refresh()
    #expect(try await controller.get().status == 200)
    #expect(try harness.record.attempt?.isAnswered == true)

    if isExpired { harness.expireToken() } else { harness.server.revokeAccessTokens() }
    #expect(try await controller.get().status == 200)

    // The one that was answered from memory is not among them.
    #expect(harness.refreshRequests.count == 3)
    #expect(Set(harness.server.counts.refreshIDs).count == 2)
    #expect(network.requests.count { $0.url.path == "/auth/refresh" } == 4)
    #expect(try harness.record.attempt == nil)
  }

  @Test func `R12: one more refresh under the same id is taken out of everybody's budget`()
    async throws
  {
    let harness = SessionHarness(accessLifetime: nil)
    harness.server.revokeAccessTokens()
    harness.server.failRefreshes(.lostRequest, .withoutRefreshToken)
    let controller = try harness.controller()
    _ = await failure { () throws(AuthError) in try await controller.get() }
    harness.clock.advance(by: .seconds(5))
    #expect(try await controller.get().status == 200)
    #expect(try harness.record.forcedRefreshes?.count == 1)
    harness.server.revokeAccessTokens()
    #expect(try await controller.get().status == 200)
    #expect(try harness.record.forcedRefreshes?.count == 2)
    #expect(Set(harness.server.counts.refreshIDs).count == 1)
  }

  // MARK: The write

  struct Attempt: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var stored: RefreshAttempt?
    var newToken: String?
    var answeredAt: Double? = 1_000
    /// What is left of it.
    var left: RefreshAttempt?
  }

  private static func attempt(
    _ id: String,
    until: Double? = nil,
    isAnswered: Bool = false,
    pause: RefreshPause? = nil
  ) -> RefreshAttempt {
    RefreshAttempt(
      id: id,
      fingerprint: SecretFingerprint(of: Secret("presented")),
      pause: pause,
      lateCopies: until.map { RefreshAttempt.LateCopies(until: $0, isAnswered: isAnswered) }
    )
  }

  private static let attempts: [Attempt] = [
    Attempt(testDescription: "sent once", stored: attempt("own")),
    Attempt(
      testDescription: "sent again, also by another process since",
      stored: attempt("own", until: 1_001),
      left: attempt("own", until: 1_001, isAnswered: true)
    ),
    Attempt(
      testDescription: "sent again after a pause",
      stored: attempt("own", until: 1_001, pause: RefreshPause(since: 1, until: 2, status: 429)),
      left: attempt("own", until: 1_001, isAnswered: true)
    ),
    Attempt(testDescription: "sent again long ago", stored: attempt("own", until: 1_000)),
    Attempt(
      testDescription: "sent again, and the first answer came again",
      stored: attempt("own", until: 1_001),
      answeredAt: nil
    ),
    Attempt(
      testDescription: "sent again, and rotated",
      stored: attempt("own", until: 1_001),
      newToken: "new"
    ),
    Attempt(
      testDescription: "sent again, and the same refresh token came",
      stored: attempt("own", until: 1_001),
      newToken: "presented",
      left: attempt("own", until: 1_001, isAnswered: true)
    ),
    Attempt(
      testDescription: "another one by another process since",
      stored: attempt("other"),
      left: attempt("other")
    ),
    Attempt(testDescription: "none", stored: nil),
  ]

  @Test(arguments: attempts)
  func `an answer closes its own attempt where nothing of it can be on its way`(
    _ attempt: Attempt
  ) throws {
    let clock = ServerClock(at: Moment(monotonic: .zero, wall: 1_000))
    let record = SessionRecord(
      generation: 1,
      authInfo: LateCopyTests.info("old", "presented"),
      signOutReason: .never,
      attempt: attempt.stored
    )
    let commit = RotationCommit(
      presented: Secret("presented"),
      attemptID: "own",
      received: ReceivedToken(
        generation: 1,
        token: AccessToken(Secret("new-access")),
        expiresIn: nil,
        from: .refresh,
        clock: clock,
        at: Moment(monotonic: .zero, wall: 1_000)
      ),
      refreshToken: attempt.newToken.map { Secret($0) },
      answeredAt: attempt.answeredAt,
      base: LateCopyTests.info("old", "presented"),
      keepsAccessTokenInMemory: false
    )
    #expect(!commit.isStored(in: record))
    let written = try #require(commit.change(record))
    #expect(written.attempt == attempt.left)
    #expect(written.authInfo?.session.accessToken == AccessToken(Secret("new-access")))
    #expect(commit.isStored(in: written))
    // A commit that failed is written once more.
    #expect(commit.change(written) == written)
  }

  @Test(arguments: [
    (nil, 1_600), (attempt("own", until: 1_100).lateCopies, 1_600),
    (attempt("own", until: 1_100, isAnswered: true).lateCopies, 1_100),
    (attempt("own", until: 900, isAnswered: true).lateCopies, 900),
    (attempt("own", until: 9_000, isAnswered: true).lateCopies, 1_600),
  ])
  func `sent again, it waits for what has no answer, and no longer than for that`(
    lateCopies: RefreshAttempt.LateCopies?,
    until: Double
  ) {
    var attempt = LateCopyTests.attempt("own")
    attempt.lateCopies = lateCopies
    let again = attempt.sentAgain(at: 1_000)
    #expect(again == LateCopyTests.attempt("own", until: until))
  }

  private static func info(_ access: String, _ refresh: String) -> AuthInfo {
    AuthInfo(
      session: Session(
        accessToken: AccessToken(Secret(access)),
        refreshToken: Secret(refresh),
        userID: UserID("user-1")
      ),
      dialect: .skyConnect,
      tokenModel: .accessRefresh,
      baseURL: SessionHarness.baseURL,
      deviceID: SessionHarness.deviceID
    )
  }

  /// The network delivers a refresh request once more, of those that were sent.
  private func arrive(_ position: Int, at harness: SessionHarness) throws {
    _ = try harness.server.answer(harness.refreshRequests[position])
  }
}
