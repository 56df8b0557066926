import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// R12 across processes: each controller here is a process of its own, however short-lived.
struct SharedPauseTests {
  private func busy(_ seconds: Int, status: Int = 429) -> RotatingServer.Fault {
    .answer(status: status, headers: ["Retry-After": "\(seconds)"])
  }

  @Test(arguments: [(429, AuthError.Code.rateLimited), (503, .server)])
  func `twenty processes leave a server alone that asked for it`(
    status: Int,
    code: AuthError.Code
  ) async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.failRefreshes(busy(60, status: status))
    for number in 0..<20 {
      let controller = try harness.controller()
      let error = await failure { () throws(AuthError) in try await controller.get() }
      #expect(error?.code == code)
      #expect(error?.status == status)
      #expect(error?.retryAfter == .seconds(60 - number))
      let demanded = await failure { () throws(AuthError) in try await controller.refresh() }
      #expect(demanded?.code == code)
      #expect(try await controller.restore() == .signedIn(.stale))
      harness.clock.advance(by: .seconds(1))
    }
    #expect(harness.refreshRequests.count == 1)
    harness.clock.advance(by: .seconds(41))
    #expect(try await harness.controller().get().status == 200)
    #expect(harness.server.counts.reuses == 0)
    #expect(try harness.record.attempt == nil)
  }

  @Test func `those that were waiting for the lock by then obey, too`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.failRefreshes(busy(60))
    harness.beforeRefresh.shut()
    let controllers = try (0..<20).map { _ in try harness.controller() }
    let requests = controllers.map { controller in
      Task { await failure { () throws(AuthError) in try await controller.get() } }
    }
    await harness.beforeRefresh.arrival()
    while harness.lock.waiters < 19 { await Task.yield() }
    harness.beforeRefresh.open()
    for request in requests { #expect(await request.value?.code == .rateLimited) }
    #expect(harness.refreshRequests.count == 1)
  }

  @Test func `a moment is waited out by a process that comes later`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.failRefreshes(busy(2))
    _ = try? await harness.controller().get()
    let next = try harness.controller()
    let request = Task { try await next.get() }
    while harness.clock.sleepers < 1 { await Task.yield() }
    #expect(harness.refreshRequests.count == 1)
    harness.clock.advance(by: .seconds(2))
    #expect(try await request.value.status == 200)
  }

  @Test(
    arguments: [
      // Set back: what the store says cannot be trusted.
      (Double(-86_400), 2),
      // Set back by less than the pause: just as well.
      (-30, 2),
      // Set on: it seems to be over.
      (86_400, 2),
      (10.0, 1),
    ]
  )
  func `a clock that is set costs one request at most, and never locks anybody out`(
    shift: Double,
    refreshes: Int
  ) async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.failRefreshes(busy(60))
    _ = try? await harness.controller().get()
    harness.clock.setWall(harness.clock.wall() + shift)
    let answer = try? await harness.controller().get()
    #expect(answer?.status == (refreshes == 2 ? 200 : nil))
    #expect(harness.refreshRequests.count == refreshes)
  }

  @Test func `an absurd time is capped for the others, too`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.failRefreshes(busy(1_000_000))
    _ = try? await harness.controller().get()
    harness.clock.advance(by: .seconds(301))
    #expect(try await harness.controller().get().status == 200)
  }

  @Test func `a sign-in ends what was asked for before`() async throws {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.failRefreshes(busy(60))
    _ = try? await harness.controller().get()
    try await harness.controller().signIn()
    try await harness.controller().refresh()
    #expect(harness.refreshRequests.count == 2)
  }

  @Test func `R14: where the others cannot be told, the log says so, and this process obeys`()
    async throws
  {
    let harness = SessionHarness()
    harness.expireToken()
    harness.server.failRefreshes(busy(60))
    harness.afterRefresh.shut()
    let controller = try harness.controller()
    let request = Task { await failure { () throws(AuthError) in try await controller.get() } }
    await harness.afterRefresh.arrival()
    harness.storage.failWrites(with: StorageError(.io, "The disk is full", advice: ""))
    harness.afterRefresh.open()
    #expect(await request.value?.code == .rateLimited)
    #expect(harness.log.text.contains("cannot be told to wait"))
    harness.storage.failWrites(with: nil)
    #expect(await failure { () throws(AuthError) in try await controller.get() } != nil)
    #expect(harness.refreshRequests.count == 1)
  }

  @Test func `a server that refuses every token costs all processes three refreshes a minute`()
    async throws
  {
    let harness = SessionHarness()
    harness.server.rejectEveryToken()
    for _ in 0..<20 { #expect(try await harness.controller().get().status == 401) }
    #expect(harness.refreshRequests.count == 3)
    harness.clock.advance(by: .seconds(61))
    for _ in 0..<20 { #expect(try await harness.controller().get().status == 401) }
    #expect(harness.refreshRequests.count == 6)
    // Noted no longer than it counts.
    #expect(try harness.record.forcedRefreshes?.count == 3)
  }

  @Test func `a clock that is set back does not use up the budget for ever`() async throws {
    let harness = SessionHarness()
    harness.server.rejectEveryToken()
    for _ in 0..<5 { _ = try await harness.controller().get() }
    harness.clock.setWall(RotatingServer.epoch - 86_400)
    harness.server.rejectEveryToken(false)
    harness.server.revokeAccessTokens()
    #expect(try await harness.controller().get().status == 200)
  }
}
