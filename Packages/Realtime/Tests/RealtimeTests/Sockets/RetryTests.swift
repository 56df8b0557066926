import GRPC
import HTTP2
import RealtimeTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct RetryTests {
  @Test func `calls in the hundreds survive a server that restarts gracefully in between`()
    async throws
  {
    let reserved = ReservedPort()
    defer { withExtendedLifetime(reserved) {} }
    let first = try await EchoServer(port: reserved.number)
    let channel = try first.channel()
    #expect(try await channel.unary("/t/Echo", message: [1]).message == [1])
    await first.server.shutdown()
    let second = try await EchoServer(port: reserved.number)
    var options = GRPCCallOptions()
    options.waitsForReady = true
    for number in 0..<100 {
      let message = [UInt8(number)]
      #expect(
        try await channel.unary("/t/Echo", message: message, options: options).message == message
      )
    }
    second.server.stop()
  }

  @Test func `more calls at once than the server's limit wait, and none is lost`() async throws {
    var configuration = GRPCServerConfiguration()
    configuration.http2.maximumConcurrentStreams = 2
    let echo = try await EchoServer(configuration: configuration)
    let channel = try echo.channel()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask {
          let message = [UInt8(number)]
          let answer = try await channel.unary("/t/Echo", message: message)
          #expect(answer.message == message)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `calls that wait for their turn when the connection ends go out on the next one`()
    async throws
  {
    let server = try RawServer { connection in
      guard var stream = connection.begin([(3, 1)]) else { return }
      if connection.number == 1 {
        connection.send(RawFrame.goAway(last: stream))
      }
      while true {
        connection.send(
          RawFrame.headers(
            [":status": "200", "content-type": "application/grpc"],
            stream: stream
          ) + RawFrame.data(RawFrame.message([UInt8(connection.number)]), stream: stream)
            + RawFrame.headers(["grpc-status": "0"], end: true, stream: stream)
        )
        guard let next = connection.request() else { return }
        stream = next
      }
    }
    defer { server.stop() }
    let channel = GRPCChannel(to: try GRPCEndpoint("http://127.0.0.1:\(server.port)"))
    try await withThrowingTaskGroup(of: UInt8?.self) { group in
      for _ in 0..<10 {
        group.addTask { try await channel.unary("/a.B/C", message: [1]).message.first }
      }
      var answers: [UInt8] = []
      for try await answer in group { answers.append(answer ?? 0) }
      #expect(answers.sorted() == [1] + [UInt8](repeating: 2, count: 9))
    }
    #expect(server.connections == 2)
  }

  @Test func `another network replaces the connection, and the next call is served`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    let call = try await channel.serverStreaming("/t/Hang", message: [])
    await echo.hasBegun.wait()
    channel.networkDidChange()
    let error = await #expect(throws: GRPCError.self) { try await call.next() }
    #expect(error?.status.code == .unavailable)
    #expect(try await channel.unary("/t/Echo", message: [1]).message == [1])
  }

  @Test func `a call that waits for a connection ends with its deadline`() async throws {
    let echo = try await EchoServer()
    let channel = try echo.channel()
    echo.server.stop()
    var options = GRPCCallOptions(deadline: .milliseconds(200))
    options.waitsForReady = true
    let error = await #expect(throws: GRPCError.self) {
      try await channel.unary("/t/Echo", message: [], options: options)
    }
    #expect(error?.status.code == .deadlineExceeded)
  }
}
