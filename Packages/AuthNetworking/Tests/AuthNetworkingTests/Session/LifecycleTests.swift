import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// The app goes to the background and comes back.
struct LifecycleTests {
  // MARK: To the front

  @Test(
    arguments: [
      (Duration.seconds(14 * 60), 0), (.seconds(14 * 60 + 1), 1), (.seconds(8 * 3600), 1),
    ]
  )
  func `after more than 14 minutes in the background a living token is replaced`(
    absence: Duration,
    refreshes: Int
  ) async throws {
    let harness = SessionHarness(accessLifetime: 86_400)
    let controller = try harness.controller()
    #expect(await controller.appWillResignActive() == .ready)
    harness.clock.advance(by: absence)
    #expect(try await controller.appDidBecomeActive() == .signedIn(.fresh))
    #expect(harness.refreshRequests.count == refreshes)
  }

  @Test func `after less it is replaced where it has expired`() async throws {
    let harness = SessionHarness(accessLifetime: 60)
    let controller = try harness.controller()
    #expect(await controller.appWillResignActive() == .ready)
    harness.clock.advance(by: .seconds(61))
    #expect(try await controller.appDidBecomeActive() == .signedIn(.fresh))
    #expect(harness.refreshRequests.count == 1)
    #expect(try await controller.get().status == 200)
  }

  @Test func `setting the device's clock makes no absence long`() async throws {
    let harness = SessionHarness(accessLifetime: 86_400)
    let controller = try harness.controller()
    _ = await controller.appWillResignActive()
    harness.clock.setWall(RotatingServer.epoch + 8 * 3600)
    #expect(try await controller.appDidBecomeActive() == .signedIn(.fresh))
    #expect(harness.refreshRequests.isEmpty)
  }

  @Test func `what an extension has refreshed meanwhile is not refreshed again`() async throws {
    let harness = SessionHarness(accessLifetime: 86_400)
    let (app, other) = (try harness.controller(), try harness.controller())
    _ = await app.appWillResignActive()
    harness.clock.advance(by: .seconds(3600))
    try await other.refresh()
    #expect(try await app.appDidBecomeActive() == .signedIn(.fresh))
    #expect(harness.refreshRequests.count == 1)
  }

  @Test func `R1: concurrent calls are one`() async throws {
    let harness = SessionHarness(accessLifetime: 86_400)
    let controller = try harness.controller()
    _ = await controller.appWillResignActive()
    harness.clock.advance(by: .seconds(3600))
    harness.afterRefresh.shut()
    let calls = (0..<8).map { _ in Task { try await controller.appDidBecomeActive() } }
    await harness.afterRefresh.arrival()
    harness.afterRefresh.open()
    for call in calls { #expect(try await call.value == .signedIn(.fresh)) }
    #expect(harness.refreshRequests.count == 1)
  }

  @Test(arguments: [true, false])
  func `R5: offline the session stays, fresh as long as its token lives`(
    lives: Bool
  ) async throws {
    let harness = SessionHarness(accessLifetime: 7200)
    let controller = try harness.controller(transport: ScriptedTransport.offline)
    _ = await controller.appWillResignActive()
    harness.clock.advance(by: .seconds(lives ? 3600 : 7300))
    let state = try await controller.appDidBecomeActive()
    #expect(state == .signedIn(lives ? .fresh : .stale))
    #expect(try harness.record.authInfo != nil)
  }

  @Test func `R5: a definitive refusal is found out, and ends the session`() async throws {
    let harness = SessionHarness(accessLifetime: 86_400)
    let controller = try harness.controller()
    _ = await controller.appWillResignActive()
    harness.clock.advance(by: .seconds(3600))
    harness.server.revokeEverything()
    #expect(try await controller.appDidBecomeActive() == .signedOut(.revoked))
  }

  @Test func `R12: what failed before does not hold it up`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    harness.expireToken()
    for _ in 0..<5 {
      harness.server.failRefreshes(.answer(status: 500))
      _ = try? await controller.refresh()
    }
    let held = await failure { () throws(AuthError) in try await controller.get() }
    #expect(held?.code == .server)
    #expect(harness.refreshRequests.count == 5)
    #expect(try await controller.appDidBecomeActive() == .signedIn(.fresh))
    #expect(harness.refreshRequests.count == 6)
  }

  @Test func `R12: what the server asked for is waited for all the same`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    harness.expireToken()
    harness.server.failRefreshes(.answer(status: 429, headers: ["Retry-After": "120"]))
    _ = try? await controller.refresh()
    #expect(try await controller.appDidBecomeActive() == .signedIn(.stale))
    #expect(harness.refreshRequests.count == 1)
    harness.clock.advance(by: .seconds(121))
    #expect(try await controller.appDidBecomeActive() == .signedIn(.fresh))
  }

  @Test(arguments: [false, true])
  func `signed out, and in a process that may not refresh, nothing is sent`(
    isSignedIn: Bool
  ) async throws {
    let harness = SessionHarness(signedIn: isSignedIn)
    let controller = try harness.controller { $0.refreshPolicy = .readOnly }
    _ = await controller.appWillResignActive()
    harness.clock.advance(by: .seconds(3600))
    let state = try await controller.appDidBecomeActive()
    #expect(state == (isSignedIn ? .signedIn(.stale) : .signedOut(.never)))
    #expect(harness.network.requests.isEmpty)
  }

  @Test func `an opaque session has nothing to refresh`() async throws {
    let harness = SessionHarness(tokenModel: .opaque)
    let controller = try harness.controller()
    _ = await controller.appWillResignActive()
    harness.clock.advance(by: .seconds(600))
    #expect(try await controller.appDidBecomeActive() == .signedIn(.fresh))
    #expect(harness.network.requests.isEmpty)
  }

  @Test func `R14: a locked store is said, and nothing is lost`() async throws {
    let harness = SessionHarness()
    harness.storage.failReads(with: SessionHarness.locked)
    let controller = try harness.controller()
    let error = await failure { () throws(AuthError) in
      try await controller.appDidBecomeActive()
    }
    #expect(error?.storageError == SessionHarness.locked)
    harness.storage.failReads(with: nil)
    #expect(try await controller.appDidBecomeActive() == .signedIn(.fresh))
  }

  // MARK: To the background

  @Test func `R3: a refresh whose answer is awaited is stored first`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    harness.expireToken()
    harness.afterRefresh.shut()
    let request = Task { try await controller.get() }
    await harness.afterRefresh.arrival()
    let leaving = Task { await controller.appWillResignActive() }
    while harness.clock.sleepers < 2 { await Task.yield() }
    harness.afterRefresh.open()
    #expect(await leaving.value == .ready)
    #expect(try harness.record.attempt == nil)
    #expect(!harness.lock.isHeld)
    #expect(try await request.value.status == 200)
  }

  @Test func `R2: one that is not answered in time is given up, and resent under its id`()
    async throws
  {
    let harness = SessionHarness()
    let controller = try harness.controller()
    harness.expireToken()
    harness.afterRefresh.shut()
    let request = Task { await failure { () throws(AuthError) in try await controller.get() } }
    await harness.afterRefresh.arrival()
    let leaving = Task { await controller.appWillResignActive(within: .seconds(3)) }
    while harness.clock.sleepers < 2 { await Task.yield() }
    harness.clock.advance(by: .seconds(3))
    #expect(await leaving.value == .ready)
    #expect(await request.value?.code == .suspended)
    #expect(!harness.lock.isHeld)
    let attempt = try #require(try harness.record.attempt)
    // The late answer changes nothing, and revokes nothing.
    harness.afterRefresh.open()
    await controller.finishRevocations()
    #expect(try harness.record.attempt == attempt)
    #expect(try await controller.appDidBecomeActive() == .signedIn(.fresh))
    #expect(harness.server.counts.refreshIDs == [attempt.id, attempt.id])
    #expect(harness.server.counts.reuses == 0)
    #expect(harness.server.livingSessions == 1)
  }

  @Test func `a refresh that waits for the lock is given up at once`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    harness.expireToken()
    let held = try await harness.lock.acquire(timeout: .zero)
    let request = Task { await failure { () throws(AuthError) in try await controller.get() } }
    while harness.lock.waiters < 1 { await Task.yield() }
    #expect(await controller.appWillResignActive() == .ready)
    #expect(await request.value?.code == .suspended)
    held.release()
    #expect(!harness.lock.isHeld)
    #expect(harness.refreshRequests.isEmpty)
    #expect(try await controller.appDidBecomeActive() == .signedIn(.fresh))
  }

  @Test func `in the background none begins, and a living token is good enough`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    #expect(await controller.appWillResignActive() == .ready)
    #expect(try await controller.get().status == 200)
    // Due for a refresh, and living still.
    harness.clock.advance(by: .seconds(860))
    #expect(try await controller.get().status == 200)
    harness.expireToken()
    let error = await failure { () throws(AuthError) in try await controller.get() }
    #expect(error?.code == .suspended)
    #expect(error?.isTemporary == true)
    #expect(harness.refreshRequests.isEmpty)
    #expect(controller.state.isSignedIn)
    #expect(try await controller.appDidBecomeActive() == .signedIn(.fresh))
    #expect(try await controller.get().status == 200)
  }

  @Test func `R3: what could not be stored is tried once more, and said where it fails again`()
    async throws
  {
    let harness = SessionHarness()
    let full = StorageError(.io, "The disk is full", advice: "")
    let controller = try harness.controller()
    harness.expireToken()
    harness.afterRefresh.shut()
    let request = Task { await failure { () throws(AuthError) in try await controller.get() } }
    await harness.afterRefresh.arrival()
    harness.storage.failWrites(with: full)
    harness.afterRefresh.open()
    #expect(await request.value?.code == .storage)
    guard case .notYet(let error) = await controller.appWillResignActive() else {
      Issue.record("ready, though the tokens are in memory only")
      return
    }
    #expect(error.storageError == full)
    harness.storage.failWrites(with: nil)
    #expect(await controller.appWillResignActive() == .ready)
    #expect(try harness.record.attempt == nil)
    #expect(harness.refreshRequests.count == 1)
    #expect(try await controller.get().status == 200)
  }

  @Test func `coming back while leaving goes on as if nothing had been`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    harness.expireToken()
    harness.afterRefresh.shut()
    let request = Task { try await controller.get() }
    await harness.afterRefresh.arrival()
    let leaving = Task { await controller.appWillResignActive() }
    while harness.clock.sleepers < 2 { await Task.yield() }
    let coming = Task { try await controller.appDidBecomeActive() }
    guard case .notYet(let error) = await leaving.value else {
      Issue.record("ready, though a refresh is under way")
      return
    }
    #expect(error.code == .cancelled)
    harness.afterRefresh.open()
    #expect(try await coming.value == .signedIn(.fresh))
    #expect(try await request.value.status == 200)
    #expect(harness.refreshRequests.count == 1)
  }

  @Test func `R4: a sign-out in the background is one like any other`() async throws {
    let harness = SessionHarness()
    let controller = try harness.controller()
    _ = await controller.appWillResignActive()
    #expect(await controller.logout().revoked)
    #expect(try await controller.appDidBecomeActive() == .signedOut(.userRequested))
  }

  @Test
  func `a password that is being confirmed is stored first, and in the background not at all`()
    async throws
  {
    let harness = SessionHarness()
    let controller = try harness.controller()
    let held = try await harness.lock.acquire(timeout: .zero)
    let confirming = Task {
      try await controller.reauthenticate(
        password: RotatingServer.password,
        identifier: RotatingServer.email
      )
    }
    while harness.lock.waiters < 1 { await Task.yield() }
    let leaving = Task { await controller.appWillResignActive() }
    while harness.clock.sleepers < 1 { await Task.yield() }
    held.release()
    #expect(await leaving.value == .ready)
    #expect(!harness.lock.isHeld)
    #expect(try harness.record.authInfo == (try await confirming.value))
    let error = await failure { () throws(AuthError) in
      try await controller.reauthenticate(
        password: RotatingServer.password,
        identifier: RotatingServer.email
      )
    }
    #expect(error?.code == .suspended)
  }

  @Test func `calling either again does no harm`() async throws {
    let harness = SessionHarness(accessLifetime: 86_400)
    let controller = try harness.controller()
    #expect(try await controller.appDidBecomeActive() == .signedIn(.fresh))
    #expect(await controller.appWillResignActive() == .ready)
    harness.clock.advance(by: .seconds(600))
    #expect(await controller.appWillResignActive() == .ready)
    // The absence is as long as since the first of them.
    harness.clock.advance(by: .seconds(600))
    #expect(try await controller.appDidBecomeActive() == .signedIn(.fresh))
    #expect(harness.refreshRequests.count == 1)
    #expect(try await controller.appDidBecomeActive() == .signedIn(.fresh))
    #expect(harness.refreshRequests.count == 1)
  }
}
