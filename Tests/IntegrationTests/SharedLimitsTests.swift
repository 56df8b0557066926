import Foundation
import Testing

/// What several processes of one home owe to one another: patience, their own deadlines, one
/// install.
@Suite struct SharedLimitsTests {
  @Test func `R12: a dozen processes leave a server alone that asked for five minutes`()
    async throws
  {
    let rotating = RotatingBackend(lifetime: -30) { request in
      request.path == "/auth/refresh"
        ? .json(429, headers: ["Retry-After": "300"], #"{"error":"slow down"}"#) : nil
    }
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)
    #expect(try await home.run("request", "GET", "/x").status == 75)
    rotating.setFault(nil)

    let clients = try (0..<12).map { try home.start("request", "GET", "/\($0)") }
    for client in clients {
      let outcome = await client.outcome()
      #expect(outcome.status == 75, "\(outcome.everything)")
      #expect(outcome.error?.string("code") == "rateLimited")
      #expect((1...300).contains(outcome.error?.int("retryAfter") ?? 0))
    }

    #expect(backend.requests(to: "/auth/refresh").count == 1)
    #expect(try await home.run("status").line?.string("state") == "signedIn")
  }

  @Test func `R12: a server that refuses every token costs all processes three refreshes`()
    async throws
  {
    let rotating = RotatingBackend { request in
      request.path == "/x" ? .json(401, #"{"error":"no"}"#) : nil
    }
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)
    for _ in 0..<8 {
      let refused = try await home.run("request", "GET", "/x")
      #expect(refused.status == 69, "\(refused.everything)")
    }
    #expect(backend.requests(to: "/auth/refresh").count == 3)
  }

  @Test func `R10: who waits for another process's refresh keeps to its own time`() async throws {
    let rotating = RotatingBackend(lifetime: -30)
    let (arrived, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let backend = try rotating.listen()
    defer {
      backend.stop()
      // The fault holds the backend that holds it.
      rotating.setFault(nil)
    }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)
    rotating.setFault { request in
      guard request.path == "/auth/refresh" else { return nil }
      arrived.signal()
      release.wait()
      return rotating.answer(request)
    }
    let first = try home.start("request", "GET", "/first", "--timeout", "600")
    await wait(for: arrived)

    let second = try await home.run("request", "GET", "/second", "--timeout", "1")

    // The first is still at it, which it would not be if the second had waited for it.
    #expect(second.status == 75, "\(second.everything)")
    #expect(second.error?.string("code") == "timeout")
    release.signal()
    #expect(await first.outcome().status == 0)
    #expect(backend.requests(to: "/auth/refresh").count == 1)
  }

  @Test func `of many first sign-ins at once one is kept, all succeed, and one install is made`()
    async throws
  {
    let backend = try await RunningBackend.start("--seed-demo-data")
    let home = try ClientHome(backend: backend.url)

    let clients = try (0..<6).map { _ in
      try home.start(
        ["login", "ada@example.com", "--base-url", backend.url],
        environment: ["HEADLESS_CLIENT_PASSWORD": "Lovelace1"]
      )
    }
    for client in clients {
      let outcome = await client.outcome()
      #expect(outcome.status == 0, "\(outcome.everything)")
      #expect(outcome.line?.string("state") == "signedIn")
    }

    let list = try await home.run("sessions", "list")
    #expect(list.lines.count == 1, "\(list.everything)")
    let settings = try Data(
      contentsOf: URL(filePath: home.path).appending(path: "profiles/default/settings.json")
    )
    let device = JSONObject(String(decoding: settings, as: UTF8.self))?.string("deviceID")
    #expect(device != nil)
    #expect(list.line?.string("deviceID") == device)
    await backend.stop()
  }

  @Test(.enabled(if: SmallDisk.isAvailable, "only root may mount a small disk"))
  func `whoami answers what the server said, though the disk is full`() async throws {
    let rotating = RotatingBackend()
    let backend = try rotating.listen()
    defer { backend.stop() }
    let disk = try SmallDisk()
    let home = try ClientHome(backend: backend.url, in: disk.path)
    #expect(try await home.login().status == 0)
    disk.fill()

    let answer = try await home.run("whoami")

    #expect(answer.status == 0, "\(answer.everything)")
    #expect(answer.line?.string("id") == "7")
    #expect(answer.errors.contains("could not be kept"))
  }
}
