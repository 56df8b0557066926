import Foundation
import Synchronization
import Testing

/// The outbox end to end: real processes, the real backend, and a line between them that breaks.
@Suite struct OutboxTests {
  /// A backend, and a line to it that a test holds or cuts.
  private struct Line {
    let backend: RunningBackend
    let front: ScriptedBackend
    let home: ClientHome
    let fault: Fault

    final class Fault: Sendable {
      private let box = Mutex<(@Sendable (ReceivedRequest) -> Reply?)?>(nil)

      func set(_ fault: (@Sendable (ReceivedRequest) -> Reply?)?) { box.withLock { $0 = fault } }

      func reply(to request: ReceivedRequest) -> Reply? { box.withLock { $0 }?(request) }
    }

    static func open() async throws -> Line {
      let backend = try await RunningBackend.start()
      let fault = Fault()
      let port = backend.port
      let front = try ScriptedBackend { request in
        fault.reply(to: request) ?? Relay.pass(request, to: port)
      }
      let home = try ClientHome(backend: front.url)
      let registered = try await home.run(
        "register",
        "--username",
        "ada",
        "--email",
        "ada@example.com",
        "--base-url",
        front.url
      )
      #expect(registered.status == 0, "\(registered.everything)")
      return Line(backend: backend, front: front, home: home, fault: fault)
    }

    func close() async {
      fault.set(nil)
      front.stop()
      await backend.stop()
    }

    /// What the backend has of the user, oldest first.
    func bodies() async throws -> [String] {
      let list = try await home.run("messages", "list", "general", "--limit", "200")
      #expect(list.status == 0, "\(list.everything)")
      return list.lines.filter { $0.bool("isMine") == true }.compactMap { $0.string("body") }
    }

    func cut() {
      fault.set { $0.method == "POST" && $0.path.hasSuffix("/messages") ? .hangUp : nil }
    }
  }

  /// Ends a client whose message the server has, before it learns that.
  private func endedBeforeTheAnswer(
    by signal: Int32,
    on line: Line
  ) async throws -> Outcome {
    let (arrived, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let port = line.backend.port
    line.fault.set { request in
      guard request.method == "POST", request.path.hasSuffix("/messages") else { return nil }
      _ = Relay.pass(request, to: port)
      arrived.signal()
      release.wait()
      return .hangUp
    }
    let client = try line.home.start("messages", "send", "general", "once", "--queue")
    await wait(for: arrived)
    client.signal(signal)
    let outcome = await client.outcome()
    release.signal()
    line.fault.set(nil)
    return outcome
  }

  @Test func `killed between send and answer, the server has one message`() async throws {
    let line = try await Line.open()
    let outcome = try await endedBeforeTheAnswer(by: SIGKILL, on: line)
    #expect(outcome.wasKilled)

    let waiting = try await line.home.run("outbox", "list")
    #expect(waiting.lines.map { $0.string("state") } == ["waiting"])
    let sent = try await line.home.run("outbox", "send")
    #expect(sent.status == 0, "\(sent.everything)")
    #expect(sent.line?.string("body") == "once")
    #expect(try await line.bodies() == ["once"])
    #expect(try await line.home.run("outbox", "list").lines.isEmpty)
    let posts = line.front.requests.filter { $0.path.hasSuffix("/messages") && $0.method == "POST" }
    #expect(posts.count == 2)
    #expect(Set(posts.compactMap { $0.field("client_message_id") }).count == 1)
    await line.close()
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `ended by a signal between send and answer, the message is kept, and is there once`(
    signal: Int32
  ) async throws {
    let line = try await Line.open()
    let outcome = try await endedBeforeTheAnswer(by: signal, on: line)
    #expect(outcome.status == 128 + signal, "\(outcome.everything)")
    // It says what is kept, and no error.
    #expect(outcome.lines.map { $0.string("state") } == ["waiting"], "\(outcome.everything)")
    #expect(outcome.error == nil, "\(outcome.everything)")
    #expect(try await line.home.run("outbox", "list").lines.count == 1)
    #expect(try await line.home.run("outbox", "send").line?.string("body") == "once")
    #expect(try await line.bodies() == ["once"])
    await line.close()
  }

  @Test func `killed at any moment, again and again, each message is there once and in order`()
    async throws
  {
    let line = try await Line.open()
    var written: [String] = []
    for round in 0..<8 {
      let victim = try line.home.start("messages", "send", "general", "\(round)", "--queue")
      // Killed before it has written anything down, while it sends, or when it was done.
      try await Task.sleep(for: .milliseconds(12 * round))
      victim.signal(SIGKILL)
      _ = await victim.outcome()
      written.append("\(round)")
    }
    #expect(try await line.home.run("messages", "send", "general", "last", "--queue").status == 0)
    let there = try await line.bodies()
    #expect(there.last == "last")
    #expect(there == (written + ["last"]).filter(there.contains))
    #expect(try await line.home.run("outbox", "list").lines.isEmpty)
    await line.close()
  }

  @Test func `offline a message is kept, and sent later with the others, in order`() async throws {
    let line = try await Line.open()
    line.cut()
    for number in 1...3 {
      let queued = try await line.home.run("messages", "send", "general", "\(number)", "--queue")
      #expect(queued.status == 0, "\(queued.everything)")
      #expect(queued.line?.string("state") == "waiting")
      #expect(queued.line?.string("reason")?.isEmpty == false)
    }
    let lost = try await line.home.run("messages", "send", "other", "not kept")
    #expect(lost.status == 75)
    #expect(lost.error?.string("message")?.contains("may have arrived") == true)
    #expect(lost.error?.string("message")?.contains("--queue") == true)
    let failed = try await line.home.run("outbox", "send")
    #expect(failed.status == 75, "\(failed.everything)")

    line.fault.set(nil)
    let next = try await line.home.run("messages", "send", "general", "4", "--queue")
    #expect(next.line?.string("body") == "4")
    #expect(next.line?.int("sequence") != nil)
    #expect(try await line.bodies() == ["1", "2", "3", "4"])
    await line.close()
  }

  @Test func `what is sent without the outbox overtakes nothing that waits in it`() async throws {
    let line = try await Line.open()
    line.cut()
    for text in ["1", "2"] {
      #expect(try await line.home.run("messages", "send", "general", text, "--queue").status == 0)
    }
    let posts = line.front.requests.count { $0.path.hasSuffix("/messages") }
    let kept = try await line.home.run("messages", "send", "general", "3")
    #expect(kept.status == 75, "\(kept.everything)")
    #expect(kept.lines.isEmpty)
    #expect(kept.error?.string("message")?.contains("2 messages to this group") == true)
    #expect(kept.error?.string("message")?.contains("not sent") == true)
    // Only the first of those that wait was tried, and nothing of an invalid one's.
    let asked = line.front.requests.filter { $0.path.hasSuffix("/messages") }.dropFirst(posts)
    #expect(Set(asked.compactMap { $0.field("body") }) == ["1"])
    let tried = line.front.requests.count
    #expect(try await line.home.run("messages", "send", "general", "").status == 65)
    #expect(line.front.requests.count == tried)

    line.fault.set(nil)
    let sent = try await line.home.run("messages", "send", "general", "4")
    #expect(sent.status == 0, "\(sent.everything)")
    #expect(sent.lines.compactMap { $0.string("body") } == ["4"])
    #expect(sent.errors.contains("2 messages"), "\(sent.everything)")
    #expect(try await line.bodies() == ["1", "2", "4"])
    #expect(try await line.home.run("outbox", "list").lines.isEmpty)
    await line.close()
  }

  @Test func `what waits and is refused for good does not keep others back`() async throws {
    let line = try await Line.open()
    line.cut()
    #expect(try await line.home.run("messages", "send", "general", "no", "--queue").status == 0)
    line.fault.set { request in
      request.method == "POST" && request.field("body") == "no"
        ? .json(403, #"{"error":"muted"}"#) : nil
    }
    let sent = try await line.home.run("messages", "send", "general", "yes")
    #expect(sent.line?.string("body") == "yes", "\(sent.everything)")
    #expect(
      try await line.home.run("outbox", "list").lines.map { $0.string("state") } == ["failed"]
    )
    #expect(try await line.bodies() == ["yes"])
    await line.close()
  }

  @Test func `a message that is refused stays as failed, is sent again, or discarded`()
    async throws
  {
    let line = try await Line.open()
    line.fault.set { request in
      request.method == "POST" && request.path.hasSuffix("/messages")
        ? .json(403, #"{"error":"muted"}"#) : nil
    }
    for text in ["one", "two"] {
      let refused = try await line.home.run("messages", "send", "general", text, "--queue")
      #expect(refused.status == 69, "\(refused.everything)")
      #expect(refused.error?.string("message")?.contains("muted") == true)
    }
    let list = try await line.home.run("outbox", "list")
    #expect(list.lines.map { $0.string("state") } == ["failed", "failed"])
    #expect(list.lines.map { $0.string("reason") } == ["muted", "muted"])
    let ids = list.lines.compactMap { $0.string("clientMessageID") }
    line.fault.set(nil)
    #expect(try await line.home.run("outbox", "send").lines.isEmpty)
    let again = try await line.home.run("outbox", "retry", ids[1])
    #expect(again.line?.string("body") == "two", "\(again.everything)")
    #expect(try await line.home.run("outbox", "discard", ids[0]).line?.bool("discarded") == true)
    #expect(try await line.home.run("outbox", "retry", ids[0]).status == 69)
    #expect(try await line.bodies() == ["two"])
    await line.close()
  }

  @Test func `R4: signing out drops what waits and says so, and no other account sends it`()
    async throws
  {
    let line = try await Line.open()
    line.cut()
    #expect(try await line.home.run("messages", "send", "general", "ada's", "--queue").status == 0)
    let out = try await line.home.run("logout")
    #expect(out.status == 0)
    #expect(out.errors.contains("1 message"), "\(out.everything)")
    #expect(try await line.home.run("outbox", "list").status == 77)
    line.fault.set(nil)
    let next = try await line.home.run(
      "register",
      "--username",
      "bob",
      "--email",
      "bob@example.com",
      "--base-url",
      line.front.url
    )
    #expect(next.status == 0, "\(next.everything)")
    #expect(try await line.home.run("outbox", "list").lines.isEmpty)
    #expect(try await line.home.run("outbox", "send").lines.isEmpty)
    #expect(try await line.bodies().isEmpty)
    await line.close()
  }

  @Test func `who the user is is asked once for a session, by however many processes`() async throws
  {
    let line = try await Line.open()
    #expect(try await line.home.run("messages", "send", "general", "hello").status == 0)
    #expect(try await line.bodies() == ["hello"])
    #expect(try await line.bodies() == ["hello"])
    #expect(line.front.requests(to: "/auth/me").count == 1)
    #expect(try await line.home.run("logout").status == 0)
    #expect(try await line.home.login(as: "ada@example.com").status == 0)
    #expect(try await line.bodies() == ["hello"])
    #expect(line.front.requests(to: "/auth/me").count == 2)
    await line.close()
  }
}
