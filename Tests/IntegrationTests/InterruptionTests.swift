import Foundation
import Synchronization
import Testing

/// Ctrl-C while a command waits for the network: 130, silence, and nothing half done.
@Suite struct InterruptionTests {
  @Test(arguments: [
    ["whoami"], ["refresh"], ["request", "GET", "/x"],
    ["request", "GET", "/x", "--output", "answer"], ["messages", "list", "general"],
    ["messages", "send", "general", "hi"], ["sessions", "list"],
  ])
  func `a command that waits for the server ends at once, and leaves nothing`(
    command: [String]
  ) async throws {
    let rotating = RotatingBackend()
    let isWaiting = Mutex(false)
    let (waits, waited) = AsyncStream.makeStream(of: Void.self)
    // Closed, and never answered: the client is gone by then.
    let gate = DispatchSemaphore(value: 0)
    let backend = try ScriptedBackend { request in
      guard isWaiting.withLock({ $0 }) else { return rotating.answer(request) }
      waited.yield()
      gate.wait()
      gate.signal()
      return .hangUp
    }
    defer {
      gate.signal()
      backend.stop()
    }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)
    let before = try files(below: home.path)
    isWaiting.withLock { $0 = true }

    let line = command.map { $0 == "answer" ? "\(home.path)/answer" : $0 }
    let running = try home.start(line, environment: [:])
    for await _ in waits { break }
    running.signal(SIGINT)
    let outcome = await running.outcome()

    #expect(outcome.status == 130, "\(outcome.everything)")
    // A run that listens to everything hears the log, and nothing else.
    let said = outcome.everything.split(separator: "\n").filter { !$0.hasPrefix(#"{"note":""#) }
    #expect(said.isEmpty, "\(said)")
    #expect(try files(below: home.path).subtracting(before) == [])
    #expect(try await home.run("status").line?.string("state") == "signedIn")
  }

  @Test(arguments: [true, false])
  func `a change of key goes on where it can, and says what became of it`(
    mayComplete: Bool
  ) async throws {
    let home = try ClientHome()
    #expect(try await home.run("store", "set", "k", "v", "--vault", "file").status == 0)
    // Another process writes meanwhile, for which it waits.
    let lock = open("\(home.path)/profiles/default/store/store.lock", O_RDWR | O_CLOEXEC)
    try #require(lock >= 0 && flock(lock, LOCK_EX) == 0)
    // What it says of that shows that it is there.
    try #require(chmod(home.path, 0o755) == 0)
    let running = try home.start("store", "rekey")
    #expect(await running.waitForErrors("it is 0700 now"))
    running.signal(SIGINT)
    #expect(await running.waitForErrors("Interrupted: the change of key goes on"))
    if mayComplete { close(lock) } else { running.signal(SIGINT) }
    let outcome = await running.outcome()
    if !mayComplete { close(lock) }

    #expect(outcome.status == 130, "\(outcome.everything)")
    // A machine that stands still for as long as it may go on ends it, too, and then says that.
    let wasCompleted = outcome.everything.contains("rekeyed")
    #expect(mayComplete || !wasCompleted, "\(outcome.everything)")
    let words =
      wasCompleted
      ? "In spite of the interruption the change of key was completed"
      : "Interrupted before the change of key was completed"
    #expect(outcome.everything.contains(words), "\(outcome.everything)")
    #expect(try await home.run("store", "get", "k").line?.string("value") == "v")
  }

  /// What lies there, but for the files that SQLite and locks come and go with.
  private func files(below path: String) throws -> Set<String> {
    Set(try FileManager.default.subpathsOfDirectory(atPath: path)).filter {
      !$0.hasSuffix(".lock") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
    }
  }
}
