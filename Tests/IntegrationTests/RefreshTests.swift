import Foundation
import Synchronization
import Testing

/// R1, R2, R3, R7, R11 and R12, seen from outside: the real client against a scripted backend.
@Suite struct RefreshTests {
  @Test func `R1: fifty requests at once on an expired token make one refresh`() async throws {
    let rotating = RotatingBackend(lifetime: -30)
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)

    let storm = try await home.run("request", "GET", "/x", "--repeat", "50", "--concurrency", "50")

    #expect(storm.status == 0, "\(storm.everything)")
    #expect(storm.lines.count == 50)
    #expect(storm.lines.allSatisfy { $0.int("status") == 200 })
    #expect(rotating.refreshes == 1)
    #expect(backend.requests(to: "/auth/refresh").count == 1)
  }

  @Test func `R1: fifty requests at once on a token refused early make one refresh`() async throws {
    let rotating = RotatingBackend()
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)
    rotating.revokeAccessTokens()

    let storm = try await home.run("request", "GET", "/x", "--repeat", "50", "--concurrency", "50")

    #expect(storm.status == 0, "\(storm.everything)")
    #expect(backend.requests(to: "/auth/refresh").count == 1)
    #expect(rotating.reuses == 0)
  }

  @Test func `R1: eight processes at once on an expired token make one refresh`() async throws {
    let rotating = RotatingBackend(lifetime: -30)
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)

    let clients = try (0..<8).map { try home.start("request", "GET", "/\($0)") }
    for client in clients {
      let outcome = await client.outcome()
      #expect(outcome.status == 0, "\(outcome.everything)")
    }

    #expect(backend.requests(to: "/auth/refresh").count == 1)
    #expect(rotating.reuses == 0)
  }

  @Test func `R3: killed between refresh and answer, the next start resends the attempt`()
    async throws
  {
    let rotating = RotatingBackend(lifetime: -30)
    let (arrived, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isFirst = Mutex(true)
    let backend = try rotating.listen()
    defer {
      backend.stop()
      // The fault holds the backend that holds it.
      rotating.setFault(nil)
    }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)
    rotating.setFault { request in
      let isTheOne = isFirst.withLock { first in
        guard request.path == "/auth/refresh", first else { return false }
        first = false
        return true
      }
      guard isTheOne else { return nil }
      // The server commits, and the client dies before the answer is out.
      _ = rotating.answer(request)
      arrived.signal()
      release.wait()
      return .hangUp
    }

    let victim = try home.start("refresh")
    await wait(for: arrived)
    victim.signal(SIGKILL)
    #expect(await victim.outcome().wasKilled)
    release.signal()
    let next = try await home.run("restore")

    #expect(next.status == 0, "\(next.everything)")
    #expect(next.line?.string("state") == "signedIn")
    #expect(next.line?.bool("stale") != true)
    let ids = backend.requests(to: "/auth/refresh").compactMap(\.requestID)
    #expect(ids.count == 2)
    #expect(Set(ids).count == 1)
    #expect(rotating.reuses == 0)
    #expect(try await home.run("request", "GET", "/x").status == 0)
  }

  @Test func `R3: killed at any moment, again and again, no token is spent twice`() async throws {
    let rotating = RotatingBackend(lifetime: -30)
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)

    for round in 0..<20 {
      let victim = try home.start("refresh")
      // Killed before it gets anywhere, while it asks, or while it stores the answer.
      await pause(milliseconds: 5 * round)
      victim.signal(SIGKILL)
      _ = await victim.outcome()
    }

    #expect(try await home.run("refresh").status == 0)
    #expect(try await home.run("request", "GET", "/x").status == 0)
    // What a victim has sent may arrive in a later round, but none has asked twice.
    #expect(backend.requests(to: "/auth/refresh").count <= 21)
    #expect(rotating.reuses == 0)
  }

  @Test func `R2: a lost answer is resent under its id, and a new refresh gets a new one`()
    async throws
  {
    let rotating = RotatingBackend()
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)
    rotating.setFault { request in
      guard request.path == "/auth/refresh" else { return nil }
      _ = rotating.answer(request)
      return .hangUp
    }

    #expect(try await home.run("refresh").status == 75)
    rotating.setFault(nil)
    #expect(try await home.run("refresh").status == 0)
    #expect(try await home.run("refresh").status == 0)

    let ids = backend.requests(to: "/auth/refresh").compactMap(\.requestID)
    #expect(ids.first == ids.dropFirst().first)
    #expect(Set(ids).count == 2)
    #expect(rotating.reuses == 0)
  }

  @Test func `R12: a server that refuses every token costs one refresh and one replay`()
    async throws
  {
    let rotating = RotatingBackend { request in
      request.path == "/locked" ? .json(401, #"{"error":"no"}"#) : nil
    }
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)

    let refused = try await home.run("request", "GET", "/locked")

    #expect(refused.status == 69)
    #expect(refused.line?.int("status") == 401)
    #expect(refused.error?.string("code") == "rejected")
    #expect(refused.error?.int("status") == 401)
    #expect(backend.requests(to: "/locked").count == 2)
    #expect(backend.requests(to: "/auth/refresh").count == 1)
    #expect(try await home.run("status").line?.string("state") == "signedIn")
  }

  @Test func `R6: the replay has the same method, headers and body, and a fresh id`() async throws {
    let rotating = RotatingBackend()
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)
    rotating.revokeAccessTokens()

    let outcome = try await home.run(
      "request",
      "PUT",
      "/note",
      "--data",
      #"{"text":"hällo"}"#,
      "--header",
      "X-Thing: 1"
    )

    #expect(outcome.status == 0, "\(outcome.everything)")
    let sent = backend.requests(to: "/note")
    #expect(sent.map(\.method) == ["PUT", "PUT"])
    #expect(Set(sent.map(\.body)) == [Data(#"{"text":"hällo"}"#.utf8)])
    #expect(sent.map { $0.headers["x-thing"] } == ["1", "1"])
    #expect(Set(sent.compactMap(\.requestID)).count == 2)
    #expect(outcome.line?.string("requestID") == sent.last?.requestID)
    #expect(Set(sent.compactMap(\.bearer)).count == 2)
  }

  @Test func `R12: Retry-After of a refresh is obeyed by the next attempt in the process`()
    async throws
  {
    let rotating = RotatingBackend(lifetime: -30) { request in
      request.path == "/auth/refresh"
        ? .json(429, headers: ["Retry-After": "60"], #"{"error":"slow down"}"#) : nil
    }
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)

    let storm = try await home.run("request", "GET", "/x", "--repeat", "20", "--concurrency", "5")

    #expect(storm.status == 75, "\(storm.everything)")
    #expect(backend.requests(to: "/auth/refresh").count == 1)
    #expect(try await home.run("status").line?.string("state") == "signedIn")
  }
}

/// Lets real processes run for a while: what they have done by then is what the test is about.
private func pause(milliseconds: Int) async {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
      continuation.resume()
    }
  }
}

/// Waits for a semaphore without holding a thread of the cooperative pool.
func wait(for semaphore: DispatchSemaphore) async {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      semaphore.wait()
      continuation.resume()
    }
  }
}
