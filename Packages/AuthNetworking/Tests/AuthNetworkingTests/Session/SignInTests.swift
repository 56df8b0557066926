import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// Sign-in, and where its tokens are kept.
struct SignInTests {
  @Test func `a login is stored and its tokens are used`() async throws {
    let harness = SessionHarness(signedIn: false)
    let controller = try harness.controller()
    try await controller.signIn()
    #expect(controller.state == .signedIn(.fresh))
    #expect(try await controller.get().status == 200)
    let stored = try #require(try harness.record.authInfo)
    #expect(stored == controller.authInfo)
    #expect(stored.deviceID == SessionHarness.deviceID)
    #expect(stored.accessTokenLifetime == 900)
    let next = try harness.controller()
    #expect(try await next.get().status == 200)
    #expect(harness.refreshRequests.isEmpty)
  }

  @Test func `R12: a wrong password refreshes nothing and leaves the stored session alone`()
    async throws
  {
    let harness = SessionHarness()
    let controller = try harness.controller()
    let before = try harness.record
    let error = await failure { () throws(AuthError) in
      _ = try await controller.login(
        Credentials(identifier: RotatingServer.email, password: Secret("wrong"))
      )
    }
    #expect(error?.code == .invalidCredentials)
    #expect(error?.requestID == harness.network.requests.first?.headers["X-Request-Id"])
    #expect(try harness.record == before)
    #expect(harness.network.requests.count == 1)
    #expect(harness.network.requests.first?.bearer == nil)
    #expect(controller.state == .signedIn(.fresh))
  }

  @Test(arguments: [
    "<html></html>", "{}", #"{"access_token":"a"}"#,
    #"{"access_token":"only-a-session-id","user_id":"1"}"#,
  ])
  func `a 2xx that is not of the dialect's form stores nothing`(_ body: String) async throws {
    let harness = SessionHarness()
    let before = try harness.record
    let network = ScriptedTransport { _ in HTTPResponse(status: 200, body: Array(body.utf8)) }
    let controller = try harness.controller(transport: network)
    let error = await failure { () throws(AuthError) in try await controller.signIn() }
    #expect(error?.code == .server)
    #expect(try harness.record == before)
  }

  @Test func `what can be checked before the network is`() async throws {
    let harness = SessionHarness(signedIn: false)
    let controller = try harness.controller()
    let error = await failure { () throws(AuthError) in
      _ = try await controller.login(Credentials(identifier: "ada", password: Secret("")))
    }
    #expect(error?.code == .invalidInput)
    #expect(error?.fields.keys.sorted() == ["email", "password"])
    let registration = Registration(username: "", email: "x", password: Secret(""))
    let other = await failure { () throws(AuthError) in
      _ = try await controller.register(registration)
    }
    #expect(other?.fields.keys.sorted() == ["email", "password", "username"])
    #expect(harness.network.requests.isEmpty)
  }

  @Test func `an access token kept in memory is never at rest`() async throws {
    let harness = SessionHarness(signedIn: false)
    let controller = try harness.controller { $0.accessTokenStorage = .memory }
    try await controller.signIn()
    #expect(try await controller.get().status == 200)
    try await controller.refresh()
    #expect(try await controller.get().status == 200)
    harness.expireToken()
    #expect(try await controller.get().status == 200)
    for record in harness.storage.history {
      #expect(record.authInfo?.session.accessToken == nil)
      #expect(record.authInfo?.session.refreshToken != nil)
      #expect(record.authInfo?.accessTokenExpiresAt == nil)
    }
    let next = try harness.controller { $0.accessTokenStorage = .memory }
    #expect(next.state == .signedIn(.stale))
    #expect(try await next.restore() == .signedIn(.fresh))
  }

  @Test func `an opaque session kept in memory leaves nothing at rest`() async throws {
    let harness = SessionHarness(signedIn: false, tokenModel: .opaque)
    let controller = try harness.controller { $0.accessTokenStorage = .memory }
    try await controller.signIn()
    #expect(controller.state == .signedIn(.fresh))
    #expect(try await controller.get().status == 200)
    #expect(harness.storage.history.allSatisfy { $0.authInfo == nil })
    #expect(try harness.controller().state == .signedOut(.never))
    harness.server.revokeEverything()
    let error = await failure { () throws(AuthError) in _ = try await controller.get() }
    #expect(error?.code == .sessionEnded)
    #expect(controller.state == .signedOut(.revoked))
  }

  @Test func `an opaque session is signed out like any other`() async throws {
    let harness = SessionHarness(signedIn: false, tokenModel: .opaque)
    let controller = try harness.controller { $0.accessTokenStorage = .memory }
    try await controller.signIn()
    #expect(await controller.logout() == LogoutOutcome(revoked: true))
    #expect(controller.state == .signedOut(.userRequested))
    let other = await failure { () throws(AuthError) in try await controller.refresh() }
    #expect(other?.code == .notSignedIn)
  }

  @Test func `R9: neither logs nor errors nor descriptions hold a secret`() async throws {
    let harness = SessionHarness(signedIn: false)
    let controller = try harness.controller()
    try await controller.signIn()
    harness.expireToken()
    _ = try await controller.get()
    let session = try #require(controller.authInfo?.session)
    let refresh = try #require(session.refreshToken)
    let access = try #require(session.accessToken)
    harness.server.failRefreshes(
      .answer(status: 500, body: #"{"error":"bad token \#(refresh.reveal())"}"#)
    )
    let error = await failure { () throws(AuthError) in try await controller.refresh() }
    _ = await controller.logout()
    var text = harness.log.text + "\(error as Any)" + String(reflecting: controller)
    dump(controller, to: &text)
    for secret in [refresh, access.secret, RotatingServer.password] {
      #expect(!text.contains(secret.reveal()))
    }
    #expect(text.contains("The refresh failed"))
    let requestID = try #require(harness.refreshRequests.last?.headers["X-Request-Id"])
    #expect(text.contains(requestID))
  }
}
