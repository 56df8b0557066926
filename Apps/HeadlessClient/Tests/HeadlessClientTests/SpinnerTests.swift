import Synchronization
import Testing

@testable import HeadlessClient

/// The sign of life on a terminal, with the waits in the test's hands.
struct SpinnerTests {
  private final class Waits: Sendable {
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    private let asked = AsyncStream.makeStream(of: Duration.self)
    private let iterator = Mutex<Duration?>(nil)

    func sleep(_ time: Duration) async throws {
      asked.continuation.yield(time)
      for await _ in stream { return try Task.checkCancellation() }
      throw CancellationError()
    }

    func pass() { continuation.yield() }

    var durations: AsyncStream<Duration> { asked.stream }
  }

  private func console(_ streams: MemoryStreams, isTerminal: Bool = true) -> Console {
    var style = Style()
    style.messagesAreLive = isTerminal
    style.width = 40
    return Console(style: style, sink: streams)
  }

  @Test func `What answers at once shows nothing at all`() async {
    let streams = MemoryStreams()
    let waits = Waits()
    let spinner = Spinner(on: console(streams), sleep: waits.sleep)
    #expect(await spinner.during("waiting") { 7 } == 7)
    #expect(streams.messages == "")
  }

  @Test func `It turns after a while, and is gone without a trace`() async {
    let streams = MemoryStreams()
    let waits = Waits()
    let spinner = Spinner(on: console(streams), sleep: waits.sleep)
    await spinner.during("waiting for a server") {
      var asked = waits.durations.makeAsyncIterator()
      #expect(await asked.next() == .milliseconds(300))
      waits.pass()
      #expect(await asked.next() == .milliseconds(100))
      #expect(streams.messages.hasSuffix("\r\u{1B}[K⠋ waiting for a server"))
      waits.pass()
      _ = await asked.next()
      #expect(streams.messages.hasSuffix("\r\u{1B}[K⠙ waiting for a server"))
    }
    #expect(streams.messages.hasSuffix("\r\u{1B}[K"))
  }

  @Test func `A result or a bar takes its line`() async throws {
    let streams = MemoryStreams()
    let waits = Waits()
    let console = console(streams)
    let spinner = Spinner(on: console, sleep: waits.sleep)
    await spinner.during("waiting") {
      var asked = waits.durations.makeAsyncIterator()
      _ = await asked.next()
      console.progress("bar")
      waits.pass()
      _ = await asked.next()
      #expect(streams.messages == "\r\u{1B}[Kbar")
    }
    #expect(streams.messages == "\r\u{1B}[Kbar")
  }

  @Test func `Without a terminal there is none`() async {
    let streams = MemoryStreams()
    let spinner = Spinner(on: console(streams, isTerminal: false)) { _ in
      Issue.record("nobody waits")
    }
    await spinner.during("waiting") {}
    #expect(streams.messages == "")
  }

  @Test func `After an interruption nothing is drawn any more`() {
    let streams = MemoryStreams()
    let console = console(streams)
    console.progress("bar")
    console.endProgress()
    console.progress("bar")
    console.spin("spinner")
    #expect(streams.messages == "\r\u{1B}[Kbar\r\u{1B}[K")
  }
}
