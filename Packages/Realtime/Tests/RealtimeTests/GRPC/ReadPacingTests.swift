import Testing

@testable import GRPC

@Suite struct ReadPacingTests {
  private let start = ContinuousClock.now

  /// Whether any of a hundred reads is followed by a pause.
  private func pauses(
    bytes: Int,
    every interval: Duration,
    answering: Bool = false
  ) -> Bool {
    var pacing = ReadPacing()
    return (0..<100).contains { index in
      if answering { pacing.sent() }
      return pacing.received(bytes, at: start + interval * index)
    }
  }

  @Test func `a stream of small reads is paced`() {
    #expect(pauses(bytes: 100, every: .microseconds(10)))
    // Also at the pace that a pause itself makes.
    #expect(pauses(bytes: 1000, every: ReadPacing.pause * 3))
  }

  @Test func `large reads, single events and answers are not held up`() {
    #expect(!pauses(bytes: 128 << 10, every: .microseconds(10)))
    #expect(!pauses(bytes: 100, every: .milliseconds(1)))
    #expect(!pauses(bytes: 100, every: .microseconds(10), answering: true))
  }

  @Test func `a stream that was quiet for a while is none`() {
    var pacing = ReadPacing()
    var time = start
    for _ in 0..<50 {
      time += .microseconds(10)
      _ = pacing.received(100, at: time)
    }
    let isPaced = pacing.received(100, at: time + .microseconds(10))
    #expect(isPaced)
    let isStillPaced = pacing.received(100, at: time + .milliseconds(2))
    #expect(!isStillPaced)
  }
}
