import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// The user's sessions on the server: listed, revoked one by one, or all the others.
struct ServerSessionTests {
  /// A harness whose user is signed in on two more devices.
  private func threeDevices(_ model: TokenModel = .accessRefresh) -> SessionHarness {
    let harness = SessionHarness(tokenModel: model)
    for _ in 0..<2 {
      _ = harness.server.signIn(baseURL: SessionHarness.baseURL, deviceID: .mobileApp)
    }
    return harness
  }

  @Test(arguments: [TokenModel.accessRefresh, .opaque])
  func `all devices are listed, and which one this is`(model: TokenModel) async throws {
    let controller = try threeDevices(model).controller()
    let sessions = try await controller.sessions()
    #expect(sessions.count == 3)
    #expect(sessions.filter(\.isCurrent).count == 1)
  }

  @Test(arguments: [TokenModel.accessRefresh, .opaque])
  func `another device's session is revoked, and this one goes on`(
    model: TokenModel
  ) async throws {
    let harness = threeDevices(model)
    let controller = try harness.controller()
    let other = try #require(try await controller.sessions().first { !$0.isCurrent })
    #expect(try await controller.revokeSession(id: other.id) == false)
    #expect(harness.server.livingSessions == 2)
    #expect(try await controller.get().status == 200)
    #expect(controller.state == .signedIn(.fresh))
  }

  @Test(arguments: [TokenModel.accessRefresh, .opaque], [false, true])
  func `revoking this one ends it here, as a sign-out does`(
    model: TokenModel,
    keepsInMemory: Bool
  ) async throws {
    let harness = SessionHarness(signedIn: false, tokenModel: model)
    let controller = try harness.controller {
      $0.accessTokenStorage = keepsInMemory ? .memory : .stored
    }
    try await controller.signIn()
    var states = controller.states().makeAsyncIterator()
    #expect(await states.next() == .signedIn(.fresh))
    let own = try #require(try await controller.sessions().first(where: \.isCurrent))
    #expect(try await controller.revokeSession(id: own.id))
    #expect(await states.next() == .signedOut(.userRequested))
    #expect(controller.authInfo == nil)
    #expect(try harness.record.authInfo == nil)
    #expect(harness.server.livingSessions == 0)
    // It is gone there already: nothing is left to log out.
    #expect(harness.server.counts.logouts == 0)
    let error = await failure { () throws(AuthError) in try await controller.get() }
    #expect(error?.code == .notSignedIn)
  }

  @Test func `the token says which session this is, where the list does not`() async throws {
    let token = AccessToken(Secret("e30.eyJzaWQiOiJzLTIifQ.e30"))
    #expect(token.sessionID == "s-2")
    let harness = SessionHarness()
    _ = try await harness.storage.update { record in
      var record = record
      record.authInfo?.session.accessToken = token
      return record
    }
    let network = ScriptedTransport { request in
      request.method == .delete
        ? HTTPResponse(status: 204)
        : HTTPResponse(status: 200, body: Array(#"[{"id":"s-1"},{"id":"s-2"}]"#.utf8))
    }
    let controller = try harness.controller(transport: network)
    #expect(try await controller.sessions().map(\.isCurrent) == [false, true])
    #expect(try await controller.revokeSession(id: "s-1") == false)
    #expect(try await controller.revokeSession(id: "s-2"))
    #expect(controller.state == .signedOut(.userRequested))
  }

  @Test func `where nobody says which session this is, the others are not guessed`() async throws {
    let harness = SessionHarness()
    let network = ScriptedTransport { _ in
      HTTPResponse(status: 200, body: Array(#"[{"id":"s-1"},{"id":"s-2"}]"#.utf8))
    }
    let controller = try harness.controller(transport: network)
    let error = await failure { () throws(AuthError) in
      try await controller.revokeOtherSessions()
    }
    #expect(error?.code == .rejected)
    #expect(network.requests.map(\.method) == [.get])
  }

  @Test func `all the others are revoked, and this one goes on`() async throws {
    let harness = threeDevices()
    let controller = try harness.controller()
    let revoked = try await controller.revokeOtherSessions()
    #expect(revoked.count == 2)
    #expect(harness.server.livingSessions == 1)
    #expect(try await controller.get().status == 200)
    #expect(try await controller.revokeOtherSessions().isEmpty)
  }

  @Test(arguments: [404, 500])
  func `one that cannot be revoked does not keep the rest, and one that is gone is`(
    status: Int
  ) async throws {
    let harness = threeDevices()
    let server = harness.server
    let network = ScriptedTransport { request throws(TransportError) in
      request.url.path == "/sessions/4"
        ? HTTPResponse(status: status) : try server.answer(request)
    }
    let controller = try harness.controller(transport: network)
    let others = try await controller.sessions().filter { !$0.isCurrent }.map(\.id)
    #expect(others.first == "4")
    let error = await failure { () throws(AuthError) in
      try await controller.revokeOtherSessions()
    }
    #expect(error?.status == (status == 404 ? nil : status))
    #expect(harness.server.livingSessions == 2)
  }

  @Test func `a session that the user does not have is refused, and nothing ends`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    let error = await failure { () throws(AuthError) in
      try await controller.revokeSession(id: "99")
    }
    #expect(error?.code == .rejected)
    #expect(error?.status == 404)
    #expect(controller.state == .signedIn(.fresh))
  }

  @Test func `R4: a session that was signed in meanwhile is not ended`() async throws {
    let harness = SessionHarness(tokenModel: .opaque)
    let controller = try harness.controller()
    let own = try #require(try await controller.sessions().first(where: \.isCurrent))
    harness.afterRequest.shut()
    let revoking = Task { try await controller.revokeSession(id: own.id) }
    // The list that says whether it is this one, then the revocation, whose answer is held up.
    await harness.afterRequest.arrival()
    harness.afterRequest.release()
    await harness.afterRequest.arrival(2)
    let next = SessionRecord(
      generation: 99,
      authInfo: harness.server.signIn(
        baseURL: SessionHarness.baseURL,
        deviceID: SessionHarness.deviceID
      ),
      signOutReason: .never
    )
    _ = try await harness.storage.update { _ in next }
    harness.afterRequest.open()
    #expect(try await revoking.value)
    #expect(try harness.record == next)
    #expect(controller.state.isSignedIn)
  }

  @Test func `R14: where the store cannot be written, it is wiped as a sign-out does`()
    async throws
  {
    let harness = SessionHarness(tokenModel: .opaque)
    let controller = try harness.controller(storage: WipeOnlyStorage(harness.storage))
    let own = try #require(try await controller.sessions().first(where: \.isCurrent))
    #expect(try await controller.revokeSession(id: own.id))
    #expect(controller.state == .signedOut(.userRequested))
    #expect(try harness.record.authInfo == nil)
  }
}

/// A store whose vault is locked: it can be read from memory, and wiped.
private struct WipeOnlyStorage: SessionStorage {
  let storage: InMemorySessionStorage

  init(_ storage: InMemorySessionStorage) { self.storage = storage }

  func record() throws(StorageError) -> SessionRecord { try storage.record() }

  func update(
    _ change: @escaping @Sendable (SessionRecord) -> SessionRecord?
  ) async throws(StorageError) -> SessionRecord { throw SessionHarness.locked }

  func wipe(reason: SignOutReason) async throws(StorageError) -> SessionRecord? {
    try await storage.wipe(reason: reason)
  }

  func records() -> AsyncStream<Result<SessionRecord, StorageError>> { storage.records() }
}
