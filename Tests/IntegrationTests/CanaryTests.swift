import Foundation
import Synchronization
import Testing

/// `request` as a canary, as a process of its own.
@Suite struct CanaryTests {
  @Test func `Ctrl-C prints the summary so far and ends with 130`() async throws {
    let (third, came) = AsyncStream.makeStream(of: Void.self)
    let count = Mutex(0)
    let rotating = RotatingBackend { request in
      guard request.path == "/x" else { return nil }
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == 3 { came.finish() }
      return nil
    }
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)

    let canary = try home.start("request", "GET", "/x", "--interval", "20ms", "--summary")
    for await _ in third {}
    canary.signal(SIGINT)
    let outcome = await canary.outcome()

    #expect(outcome.status == 130, "\(outcome.everything)")
    let summary = outcome.line?.object("summary")
    #expect(summary?.bool("interrupted") == true, "\(outcome.everything)")
    #expect(try #require(summary?.int("requests")) >= 2)
    #expect(summary?.int("failed") == 0)
  }
}
