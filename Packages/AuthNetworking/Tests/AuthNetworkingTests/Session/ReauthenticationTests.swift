import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// Confirming the password of whoever is signed in, before something sensitive.
struct ReauthenticationTests {
  private let email = RotatingServer.email
  private let password = RotatingServer.password

  @Test(arguments: [TokenModel.accessRefresh, .opaque], [false, true])
  func `the new tokens replace the old as a whole, and the old session is revoked`(
    model: TokenModel,
    keepsInMemory: Bool
  ) async throws {
    let harness = SessionHarness(signedIn: false, tokenModel: model)
    let controller = try harness.controller {
      $0.accessTokenStorage = keepsInMemory ? .memory : .stored
    }
    let before = try await controller.signIn()
    let generation = try harness.record.generation
    var states = controller.states().makeAsyncIterator()
    #expect(await states.next() == .signedIn(.fresh))
    let info = try await controller.reauthenticate(password: password, identifier: email)
    await controller.finishRevocations()
    #expect(info.session.accessToken != before.session.accessToken)
    #expect(info.session.userID == before.session.userID)
    #expect(controller.authInfo == info)
    #expect(try harness.record.generation == generation)
    #expect(harness.server.livingSessions == 1)
    #expect(harness.server.counts.logouts == 1)
    #expect(try await controller.get().status == 200)
    #expect(harness.refreshRequests.isEmpty)
    // R13: nobody was signed out in between, and nothing that an app shows has changed.
    _ = await controller.logout()
    #expect(await states.next() == .signedOut(.userRequested))
  }

  @Test func `R12: a wrong password refreshes nothing, and changes nothing`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    let before = try harness.record
    let error = await failure { () throws(AuthError) in
      try await controller.reauthenticate(password: Secret("wrong"), identifier: email)
    }
    #expect(error?.code == .invalidCredentials)
    #expect(try harness.record == before)
    #expect(harness.network.requests.map(\.url.path) == ["/auth/login"])
    #expect(harness.network.requests.first?.bearer == nil)
    #expect(controller.state == .signedIn(.fresh))
    #expect(!controller.wasAuthenticated(within: .seconds(3600)))
  }

  @Test(
    arguments: [
      (503, "", AuthError.Code.server), (429, "", .rateLimited), (200, "<html>", .server),
      (200, #"{"access_token":"only-a-session-id","user_id":"user-1"}"#, .server),
    ]
  )
  func `every other failure leaves the session alone, too`(
    status: Int,
    body: String,
    code: AuthError.Code
  ) async throws {
    let harness = SessionHarness()
    let before = try harness.record
    let network = ScriptedTransport { _ in HTTPResponse(status: status, body: Array(body.utf8)) }
    let controller = try harness.controller(transport: network)
    let error = await failure { () throws(AuthError) in
      try await controller.reauthenticate(password: password, identifier: email)
    }
    #expect(error?.code == code)
    #expect(try harness.record == before)
    #expect(controller.state == .signedIn(.fresh))
  }

  @Test func `another user's password confirms nothing, and opens no session`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    let before = try harness.record
    let error = await failure { () throws(AuthError) in
      try await controller.reauthenticate(
        password: password,
        identifier: RotatingServer.otherEmail
      )
    }
    await controller.finishRevocations()
    #expect(error?.code == .invalidCredentials)
    #expect(try harness.record == before)
    #expect(harness.server.livingSessions == 1)
  }

  @Test func `the stored user says what they sign in with`() async throws {
    let harness = SessionHarness()
    _ = try await harness.storage.update { record in
      var record = record
      record.authInfo?.user = User(id: UserID("user-1"), email: RotatingServer.email)
      return record
    }
    let controller = try harness.controller()
    _ = try await controller.reauthenticate(password: password)
    #expect(harness.server.counts.logins == 1)
    #expect(harness.server.counts.resources == 0)
  }

  @Test func `where nobody knows what the user signs in with, it is asked for`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    let error = await failure { () throws(AuthError) in
      try await controller.reauthenticate(password: password)
    }
    #expect(error?.code == .invalidInput)
    #expect(harness.server.counts.logins == 0)
    // The backend was asked who it is.
    #expect(harness.server.counts.resources == 1)
  }

  @Test func `signed out, and read-only: nothing is sent`() async throws {
    let harness = SessionHarness(signedIn: false)
    let signedOut = try harness.controller()
    let error = await failure { () throws(AuthError) in
      try await signedOut.reauthenticate(password: password, identifier: email)
    }
    #expect(error?.code == .notSignedIn)
    let readOnly = try SessionHarness().controller(transport: harness.network) {
      $0.refreshPolicy = .readOnly
    }
    let other = await failure { () throws(AuthError) in
      try await readOnly.reauthenticate(password: password, identifier: email)
    }
    #expect(other?.code == .readOnly)
    #expect(harness.network.requests.isEmpty)
  }

  @Test func `R11: how long ago is judged by the server's clock, not by one that can be set`()
    async throws
  {
    let harness = SessionHarness(signedIn: false)
    let controller = try harness.controller()
    try await controller.signIn()
    #expect(controller.wasAuthenticated(within: .seconds(300)))
    harness.clock.advance(by: .seconds(301))
    #expect(!controller.wasAuthenticated(within: .seconds(300)))
    harness.clock.setWall(RotatingServer.epoch)
    #expect(!controller.wasAuthenticated(within: .seconds(300)))
    _ = try await controller.reauthenticate(password: password, identifier: email)
    #expect(controller.wasAuthenticated(within: .seconds(300)))
    // The instant is kept with the session.
    harness.clock.advance(by: .seconds(200))
    let next = try harness.controller()
    #expect(next.wasAuthenticated(within: .seconds(300)))
    #expect(!next.wasAuthenticated(within: .seconds(100)))
  }

  @Test func `R1: a refresh that is under way is waited for, and its tokens are superseded`()
    async throws
  {
    let harness = SessionHarness()
    let controller = try harness.controller()
    harness.expireToken()
    harness.afterRefresh.shut()
    let request = Task { try await controller.get() }
    await harness.afterRefresh.arrival()
    let confirming = Task {
      try await controller.reauthenticate(password: password, identifier: email)
    }
    await harness.afterRequest.arrival()
    harness.afterRefresh.open()
    let info = try await confirming.value
    #expect(try await request.value.status == 200)
    await controller.finishRevocations()
    #expect(controller.authInfo == info)
    #expect(try harness.record.authInfo == info)
    #expect(harness.server.livingSessions == 1)
    #expect(harness.server.counts.reuses == 0)
  }

  @Test func `R4: a sign-out that comes meanwhile wins, and no session is left on the server`()
    async throws
  {
    let harness = SessionHarness()
    let controller = try harness.controller()
    harness.afterRequest.shut()
    let confirming = Task {
      await failure { () throws(AuthError) in
        try await controller.reauthenticate(password: password, identifier: email)
      }
    }
    await harness.afterRequest.arrival()
    let signingOut = Task { await controller.logout() }
    await harness.afterRequest.arrival(2)
    harness.afterRequest.open()
    #expect(await confirming.value?.code == .notSignedIn)
    #expect(await signingOut.value.revoked)
    await controller.finishRevocations()
    #expect(try harness.record.authInfo == nil)
    #expect(controller.state == .signedOut(.userRequested))
    #expect(harness.server.livingSessions == 0)
  }

  @Test func `a store that cannot be written keeps the old session, and the new one is revoked`()
    async throws
  {
    let harness = SessionHarness()
    let controller = try harness.controller()
    let before = try harness.record
    harness.storage.failWrites(with: StorageError(.io, "The disk is full", advice: ""))
    let error = await failure { () throws(AuthError) in
      try await controller.reauthenticate(password: password, identifier: email)
    }
    await controller.finishRevocations()
    #expect(error?.code == .storage)
    #expect(try harness.record == before)
    #expect(try await controller.get().status == 200)
    // Only a write that succeeds shows which of the two is stored.
    #expect(harness.server.livingSessions == 2)
    harness.storage.failWrites(with: nil)
    while harness.server.livingSessions != 1 {
      harness.clock.advance(by: .seconds(1))
      await Task.yield()
    }
    #expect(try await controller.get().status == 200)
  }
}
