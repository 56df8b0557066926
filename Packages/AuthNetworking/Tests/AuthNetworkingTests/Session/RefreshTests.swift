import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// R1 to R3: one refresh, each token spent once, written ahead and stored before used.
struct RefreshTests {
  @Test func `R1: 50 concurrent requests on an expired token are one refresh`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    let controller = try harness.controller()
    try await withThrowingTaskGroup { group in
      for _ in 0..<50 { group.addTask { try await controller.get().status } }
      for try await status in group { #expect(status == 200) }
    }
    #expect(harness.server.counts.rotations == 1)
    #expect(harness.refreshRequests.count == 1)
  }

  @Test func `R1: 50 requests that all get a 401 are one refresh`() async throws {
    let harness = SessionHarness(accessLifetime: nil)
    harness.server.revokeAccessTokens()
    let controller = try harness.controller()
    harness.afterRequest.shut()
    try await withThrowingTaskGroup { group in
      for _ in 0..<50 { group.addTask { try await controller.get().status } }
      await harness.afterRequest.arrival(50)
      harness.afterRequest.open()
      for try await status in group { #expect(status == 200) }
    }
    #expect(harness.server.counts.rotations == 1)
    #expect(harness.server.counts.resources == 100)
  }

  @Test func `R1: eight processes on one store refresh once between them`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    let controllers = try (0..<8).map { _ in try harness.controller() }
    harness.beforeRefresh.shut()
    let tasks = controllers.map { controller in Task { try await controller.get().status } }
    await harness.beforeRefresh.arrival()
    harness.beforeRefresh.open()
    for task in tasks { #expect(try await task.value == 200) }
    #expect(harness.server.counts.rotations == 1)
    #expect(harness.refreshRequests.count == 1)
  }

  @Test func `R1: without the lock nothing is sent and the error is temporary`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.lock.refuse(with: RefreshLockError(.busy, "Another process is refreshing"))
    let controller = try harness.controller()
    let error = await failure { () throws(AuthError) in _ = try await controller.get() }
    #expect(error?.isTemporary == true)
    #expect(harness.network.requests.isEmpty)
    #expect(controller.state == .signedIn(.stale))
  }

  @Test func `R1: the refresh lock is free before any caller goes on`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    let controller = try harness.controller()
    _ = try await controller.token()
    #expect(!harness.lock.isHeld)
    #expect(harness.lock.acquisitions == 1)
  }

  @Test func `R1: a failed refresh fails all who wait, and nothing is sent again`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.failRefreshes(.answer(status: 500))
    harness.beforeRefresh.shut()
    let controller = try harness.controller()
    let tasks = (0..<10).map { _ in
      Task { await failure { () throws(AuthError) in _ = try await controller.get() } }
    }
    await harness.beforeRefresh.arrival()
    harness.beforeRefresh.open()
    for task in tasks { #expect(await task.value?.code == .server) }
    #expect(harness.server.counts.refreshIDs.count == 1)
    #expect(harness.server.counts.resources == 0)
  }

  @Test func `R1: a read-only process never refreshes`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller { $0.refreshPolicy = .readOnly }
    #expect(try await controller.get().status == 200)
    harness.expireToken()
    let error = await failure { () throws(AuthError) in _ = try await controller.get() }
    #expect(error?.code == .readOnly)
    #expect(harness.refreshRequests.isEmpty)
    // The app refreshes, and the extension uses what it stored.
    try await harness.controller().refresh()
    #expect(try await controller.get().status == 200)
  }

  @Test func `R2: a token that another process stored is adopted and nothing is sent`()
    async throws
  {
    let harness = SessionHarness()
    let first = try harness.controller()
    let second = try harness.controller()
    harness.expireToken()
    _ = try await first.token()
    let token = try await second.token()
    #expect(token == (try await first.token()))
    #expect(harness.refreshRequests.count == 1)
  }

  @Test(arguments: [
    RotatingServer.Fault.lostAnswer, .lostRequest, .answer(status: 500), .answer(status: 429),
    .answer(status: 408), .answer(status: 200, body: "<html>"),
    .answer(status: 302, headers: ["Location": "https://elsewhere.example/"]),
  ])
  func `R2: an attempt without a conclusive answer is sent again under its id`(
    _ fault: RotatingServer.Fault
  ) async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.failRefreshes(fault)
    let controller = try harness.controller()
    let error = await failure { () throws(AuthError) in _ = try await controller.token() }
    #expect(error?.isTemporary == true)
    #expect(controller.state == .signedIn(.stale))
    try await controller.refresh()
    let ids = harness.refreshRequests.map { $0.headers["X-Request-Id"] }
    #expect(ids.count == 2)
    #expect(ids[0] == ids[1])
    #expect(harness.server.counts.reuses == 0)
    #expect(controller.state == .signedIn(.fresh))
  }

  @Test func `R2: after a conclusive answer the next attempt has its own id`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    try await controller.refresh()
    try await controller.refresh()
    let ids = harness.server.counts.refreshIDs
    #expect(ids.count == 2)
    #expect(ids[0] != ids[1])
    #expect(harness.server.counts.reuses == 0)
  }

  @Test func `an answer without a refresh token keeps the stored one`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    let before = try harness.record
    harness.server.failRefreshes(.withoutRefreshToken)
    let controller = try harness.controller()
    #expect(try await controller.get().status == 200)
    let after = try harness.record
    #expect(after.authInfo?.session.refreshToken == before.authInfo?.session.refreshToken)
    #expect(after.authInfo?.session.accessToken != before.authInfo?.session.accessToken)
    #expect(after.attempt == nil)
  }

  @Test func `R3: the attempt is durable before its token is sent`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.beforeRefresh.shut()
    let controller = try harness.controller()
    async let token = controller.token()
    await harness.beforeRefresh.arrival()
    let record = try harness.record
    let request = try #require(harness.refreshRequests.first)
    #expect(record.attempt?.id == request.headers["X-Request-Id"])
    let stored = try #require(record.authInfo?.session.refreshToken)
    #expect(record.attempt?.fingerprint == SecretFingerprint(of: stored))
    harness.beforeRefresh.open()
    _ = try await token
    #expect(try harness.record.attempt == nil)
  }

  @Test func `R3: where the attempt cannot be written nothing is sent`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    let controller = try harness.controller()
    harness.storage.failWrites(with: SessionHarness.locked)
    let error = await failure { () throws(AuthError) in _ = try await controller.token() }
    #expect(error?.storageError == SessionHarness.locked)
    #expect(harness.network.requests.isEmpty)
    #expect(controller.state.isSignedIn)
  }

  @Test func `R3: a process killed between request and answer resends at the next start`()
    async throws
  {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.failRefreshes(.lostAnswer)
    let killed = try harness.controller()
    _ = await failure { () throws(AuthError) in _ = try await killed.token() }
    let next = try harness.controller()
    #expect(try await next.restore() == .signedIn(.fresh))
    #expect(Set(harness.server.counts.refreshIDs).count == 1)
    #expect(harness.server.counts.refreshIDs.count == 2)
    #expect(harness.server.counts.reuses == 0)
  }

  @Test func `R3: a rotated token that cannot be written is kept, and written before the next`()
    async throws
  {
    let harness = SessionHarness()
    harness.expireToken()
    let controller = try harness.controller()
    harness.afterRefresh.shut()
    let waiter = Task { await failure { () throws(AuthError) in _ = try await controller.token() } }
    await harness.afterRefresh.arrival()
    harness.storage.failWrites(with: StorageError(.io, "The disk is full", advice: "Free some"))
    harness.afterRefresh.open()
    #expect(await waiter.value?.storageError?.code == .io)
    harness.storage.failWrites(with: nil)
    harness.clock.advance(by: .seconds(5))
    let token = try await controller.token()
    #expect(harness.refreshRequests.count == 1)
    #expect(try harness.record.authInfo?.session.accessToken == token)
    #expect(try harness.record.attempt == nil)
  }
}
