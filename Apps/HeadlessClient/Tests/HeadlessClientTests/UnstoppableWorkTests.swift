import AuthNetworking
import Testing

@testable import HeadlessClient

/// Work that Ctrl-C does not stop says what became of it.
@Suite struct UnstoppableWorkTests {
  private let streams = MemoryStreams()

  private func work() -> UnstoppableWork {
    let console = Console(style: Style(), sink: streams)
    return UnstoppableWork("the work", ifCutShort: "Do it again", on: console)
  }

  @Test func `nothing is said where nobody interrupts`() async throws {
    #expect(try await work().run(with: nil) { 5 } == 5)
    #expect(streams.messages == "")
  }

  @Test func `an interruption is answered at once, and then with the end`() async throws {
    let work = work()
    let streams = streams
    let result = try await work.run(with: nil) { () async throws(ClientError) -> String in
      work.interrupted()
      work.interrupted()
      return streams.messages
    }
    let answer =
      "Interrupted: the work goes on for 3 seconds at most; interrupt once more to end it now\n"
    #expect(result == answer)
    #expect(streams.messages == answer + "In spite of the interruption the work was completed\n")
    work.interrupted()
    work.cutShort()
    #expect(streams.messages == answer + "In spite of the interruption the work was completed\n")
  }

  @Test func `work that is ended before it is done was not completed`() {
    work().cutShort()
    #expect(streams.messages == "Interrupted before the work was completed. Do it again\n")
  }

  @Test func `an error says itself what became of it`() async {
    let work = work()
    await #expect(throws: ClientError(.storage, "no")) {
      try await work.run(with: nil) { () async throws(ClientError) -> Int in
        throw ClientError(.storage, "no")
      }
    }
    work.interrupted()
    work.cutShort()
    #expect(streams.messages == "")
  }
}
