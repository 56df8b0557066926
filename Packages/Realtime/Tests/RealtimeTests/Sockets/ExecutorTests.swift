import GRPC
import Testing

/// Calls of tasks that run on the channel's own thread.
@Suite(.timeLimit(.minutes(5))) struct ExecutorTests {
  @Test func `calls of every kind work on the channel's executor`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    try await withTaskExecutorPreference(channel.executor) { () async throws in
      for number in 0..<100 {
        let message = Array("\(number)".utf8)
        #expect(try await channel.unary("/t/Echo", message: message).message == message)
      }
      let options = try GRPCCallOptions.with(["count": "50"])
      let repeated = try await channel.serverStreaming("/t/Repeat", message: [7], options: options)
      for _ in 0..<50 { #expect(try await repeated.next() == [7]) }
      #expect(try await repeated.next() == nil)
      let relay = try await channel.streaming("/t/Relay")
      for number in 0..<50 {
        try await relay.send([UInt8(number)])
        #expect(try await relay.next() == [UInt8(number)])
      }
      await relay.closeSend()
      #expect(try await relay.next() == nil)
    }
  }

  @Test func `a call that waits there holds up no other call, and can be cancelled`() async throws {
    let echo = try await EchoServer(handlers: [
      "/t/Never": .serverStreaming { _, _ in await Gate.untilCancelled() }
    ])
    let channel = try echo.channel()
    let waiting = Task(executorPreference: channel.executor) {
      try await channel.unary("/t/Never", message: [])
    }
    try await withTaskExecutorPreference(channel.executor) { () async throws in
      #expect(try await channel.unary("/t/Echo", message: [1]).message == [1])
    }
    #expect(try await channel.unary("/t/Echo", message: [2]).message == [2])
    waiting.cancel()
    let error = await #expect(throws: GRPCError.self) { try await waiting.value }
    #expect(error?.status.code == .cancelled)
  }

  @Test func `a channel that is shut down on its own executor lets the task go on`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    try await withTaskExecutorPreference(channel.executor) { () async throws in
      #expect(try await channel.unary("/t/Echo", message: [1]).message == [1])
      channel.shutDown()
      let error = await #expect(throws: GRPCError.self) {
        try await channel.unary("/t/Echo", message: [2])
      }
      #expect(error?.status.code == .unavailable)
    }
  }
}
