import Testing

@testable import HeadlessClient

struct RequestTallyTests {
  /// Counts a run in letters: a success, a refusal (69), something temporary (75), the end of the
  /// session (77), storage that fails (74).
  private func tally(_ run: String, alarmAfter: Int? = nil) -> RequestTally {
    var tally = RequestTally(alarmAfter: alarmAfter)
    for letter in run {
      let problem: ClientError? =
        switch letter {
        case "r": ClientError(.rejected, "no", status: 404)
        case "t": ClientError(.network, "no route")
        case "e": ClientError(.sessionEnded, "ended")
        case "s": ClientError(.storage, "full")
        default: nil
        }
      switch letter {
      case ".": tally.answered(200, problem: nil, after: .milliseconds(3))
      case "r": tally.answered(404, problem: problem, after: .milliseconds(2))
      default: if let problem { tally.failed(problem.code.rawValue, problem) }
      }
    }
    return tally
  }

  @Test(
    arguments: [
      ("...", nil), (".r.", CommandStatus.refused), ("r.t", .temporary), ("t.e.r", .notSignedIn),
      ("etrs", .storage),
    ] as [(String, CommandStatus?)]
  )
  func `Without an option the worst failure is the run's`(run: String, status: CommandStatus?) {
    #expect(tally(run).outcome?.exitStatus == status)
    #expect(!tally(run).isAlarm)
  }

  @Test(
    arguments: [
      ("tt.tt.tt.", nil), ("tt.ttt", CommandStatus.temporary), ("ttt.....", .temporary),
      ("rtr", .temporary), ("t.t.rrr", .refused), ("...e", .notSignedIn), ("..s.", .storage),
      ("", nil),
    ] as [(String, CommandStatus?)]
  )
  func `With one, a few failures in a row are a blip, and what does not pass is an alarm`(
    run: String,
    status: CommandStatus?
  ) {
    let tally = tally(run, alarmAfter: 3)
    #expect(tally.outcome?.exitStatus == status)
    #expect(tally.isAlarm == (status != nil))
  }

  @Test func `Each status and each error is counted, times of answers only`() {
    let tally = tally("..r.tt.")
    #expect(tally.total == 7)
    #expect(tally.counts == ["200": 4, "404": 1, "network": 2])
    #expect(tally.failures == 3)
    #expect(tally.longestRow == 2)
    #expect(tally.latencies.count == 5)
  }
}
