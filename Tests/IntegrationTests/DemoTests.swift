import Foundation
import Testing

/// The main job, as `Tools/demo` shows it.
@Suite struct DemoTests {
  @Test func `the demo tells the whole story and each step holds`() async throws {
    let outcome = try await Executable.headlessClient.run(["demo", "--json"])

    #expect(outcome.status == 0, "\(outcome.everything)")
    let last = try #require(outcome.lines.last)
    let steps = outcome.lines.dropLast()
    #expect(last.string("demo") == "ok")
    #expect(last.int("steps") == steps.count)
    #expect(steps.count >= 8)
    #expect(steps.allSatisfy { $0.string("step") != nil && $0.bool("ok") == true })
  }
}
