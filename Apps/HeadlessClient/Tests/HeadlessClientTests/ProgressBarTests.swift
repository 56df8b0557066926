import Synchronization
import Testing

@testable import HeadlessClient

struct ProgressBarTests {
  @Test(arguments: [
    (0, 10, "rekeying [--------------------------]   0%  0 of 10"),
    (5, 10, "rekeying [#############-------------]  50%  5 of 10"),
    (10, 10, "rekeying [#########################] 100%  10 of 10"),
    (0, 0, "rekeying [###########################] 100%  0 of 0"),
  ])
  func `A line is as wide as the terminal`(done: Int, total: Int, line: String) {
    #expect(ProgressBar.line("rekeying", done: done, of: total, width: 51).count == 51)
    #expect(ProgressBar.line("rekeying", done: done, of: total, width: 51) == line)
  }

  @Test func `A narrow terminal has the numbers only`() {
    #expect(ProgressBar.line("verifying", done: 1, of: 3, width: 20) == "verifying  33% 1 of 3")
  }

  private func drawn(_ change: (inout Style) -> Void, steps: [Duration]) -> String {
    let streams = MemoryStreams()
    var style = Style()
    style.messagesAreLive = true
    change(&style)
    let start = ContinuousClock.now
    let clock = Clock(start)
    let bar = ProgressBar("verifying", on: Console(style: style, sink: streams)) { clock.now }
    for (index, step) in steps.enumerated() {
      clock.set(start + step)
      bar.show(done: index, of: 100)
    }
    return streams.messages
  }

  @Test func `It is drawn ten times a second at most`() {
    let text = drawn({ _ in }, steps: (0..<100).map { .milliseconds($0 * 5) })
    #expect(text.split(separator: "\r").count == 5)
    #expect(text.contains("80%"))
  }

  @Test func `It is for terminals only, and not for programs or the quiet`() {
    for change: (inout Style) -> Void in [
      { $0.messagesAreLive = false }, { $0.quiet = true }, { $0.json = true },
    ] {
      #expect(drawn(change, steps: [.zero, .seconds(1)]).isEmpty)
    }
  }

  private final class Clock: Sendable {
    private let state: Mutex<ContinuousClock.Instant>

    init(_ start: ContinuousClock.Instant) { state = Mutex(start) }

    var now: ContinuousClock.Instant { state.withLock { $0 } }

    func set(_ instant: ContinuousClock.Instant) { state.withLock { $0 = instant } }
  }
}
