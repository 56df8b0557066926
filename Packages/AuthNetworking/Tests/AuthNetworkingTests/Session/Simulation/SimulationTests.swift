import Testing

import Foundation

/// The real controllers over virtual time, a network that loses and delays, a store that fails,
/// and processes that are killed: random histories, each decided by its seed.
struct SimulationTests {
  #if DEBUG
  private static let histories: UInt64 = 1_000
  // The optimiser does without some changes of thread, so that a seed is another history there.
  private static let command = "Tools/test --filter SimulationTests"
  #else
  private static let histories: UInt64 = 10_000
  private static let command = "Tools/test --optimised"
  #endif

  /// In a process of its own, since it takes the place of the thread pool.
  @Test func `the rules hold in every random history`() async throws {
    let child = try await #require(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      SimulationTests.play(SimulationTests.seeds)
      exit(EXIT_SUCCESS)
    }
    let report = String(decoding: child.standardErrorContent, as: UTF8.self)
    print(report)
    #expect(report.contains(", 0 failed"), "\(report)")
  }

  /// One seed where it is given, else a fresh range of them, as long as it is asked for.
  private static var seeds: Range<UInt64> {
    func given(_ name: String) -> UInt64? {
      ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
    if let seed = given("SIMULATION_SEED") { return seed..<seed + 1 }
    let first = UInt64.random(in: 0...UInt64(UInt32.max))
    return first..<first + (given("SIMULATION_HISTORIES") ?? histories)
  }

  /// Says which histories broke a rule; stops at the third.
  private static func play(_ seeds: Range<UInt64>) {
    var failures = 0
    let isReplaced = SimulationScheduler.withScheduler { scheduler in
      for seed in seeds where failures < 3 {
        let broken = SimulatedHistory.play(seed: seed, on: scheduler)
        guard !broken.isEmpty else { continue }
        failures += 1
        say("history \(seed): \(broken.joined(separator: "; "))")
        say("  again with: SIMULATION_SEED=\(seed) \(command)")
      }
    }
    guard isReplaced else { return say("this runtime has no hook for its thread pool") }
    say("simulated \(seeds.count) histories from seed \(seeds.lowerBound), \(failures) failed")
  }

  private static func say(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}
