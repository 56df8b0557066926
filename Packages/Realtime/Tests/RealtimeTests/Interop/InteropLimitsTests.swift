import GRPC
import Testing

/// Limits, deadlines, cancellation and keepalive with a grpcio server.
@Suite(.timeLimit(.minutes(5))) struct InteropLimitsTests {
  private func channel(
    _ server: GRPCIOServer,
    _ configuration: GRPCChannelConfiguration = .init()
  ) throws -> GRPCChannel {
    GRPCChannel(
      to: try GRPCEndpoint("http://127.0.0.1:\(server.port)"),
      configuration: configuration
    )
  }

  @Test func `cancelling is seen by the server, and so is leaving a stream alone`() async throws {
    let server = try await GRPCIOServer()
    let channel = try channel(server)
    let cancelled = try await channel.serverStreaming("/i/Endless", message: [])
    _ = try await cancelled.next()
    cancelled.cancel()
    #expect(try await channel.unary("/i/AwaitCancelled", message: []).message == [1])
    do {
      let dropped = try await channel.serverStreaming("/i/Endless", message: [])
      _ = try await dropped.next()
    }
    #expect(try await channel.unary("/i/AwaitCancelled", message: []).message == [2])
    let task = Task {
      let read = try await channel.serverStreaming("/i/Endless", message: [])
      while try await read.next() != nil {}
    }
    task.cancel()
    let error = await #expect(throws: GRPCError.self) { try await task.value }
    #expect(error?.status.code == .cancelled)
  }

  @Test func `the server is told the deadline, never a shorter one`() async throws {
    let server = try await GRPCIOServer()
    let options = GRPCCallOptions(deadline: .seconds(100))
    let answer = try await channel(server).unary("/i/Deadline", message: [], options: options)
    let left = try #require(Double(String(decoding: answer.message, as: UTF8.self)))
    #expect(left > 80 && left <= 100.5)
  }

  @Test func `a message above either side's limit is RESOURCE_EXHAUSTED, and the next one passes`()
    async throws
  {
    let server = try await GRPCIOServer()
    let channel = try channel(server)
    let large = [UInt8](repeating: 1, count: (4 << 20) + 1)
    let sent = await #expect(throws: GRPCError.self) {
      try await channel.unary("/i/Unary", message: large)
    }
    #expect(sent?.status.code == .resourceExhausted)
    let received = await #expect(throws: GRPCError.self) {
      try await channel.unary("/i/Size", message: Array("\(large.count)".utf8))
    }
    #expect(received?.status.code == .resourceExhausted)
    let fits = try await channel.unary("/i/Size", message: Array("\(4 << 20)".utf8))
    #expect(fits.message.count == 4 << 20)
  }

  @Test func `an inflated message above the limit is RESOURCE_EXHAUSTED`() async throws {
    let server = try await GRPCIOServer(["gzip"])
    let error = await #expect(throws: GRPCError.self) {
      try await channel(server).unary("/i/Size", message: Array("50000000".utf8))
    }
    #expect(error?.status.code == .resourceExhausted)
  }

  @Test
  func `a server that punishes pings ends the connection, and the next one pings half as often`()
    async throws
  {
    let server = try await GRPCIOServer(["strict"])
    var configuration = GRPCChannelConfiguration()
    configuration.keepaliveInterval = .milliseconds(300)
    let channel = try channel(server, configuration)
    var lastLife = Duration.zero
    for _ in 0..<2 {
      let start = ContinuousClock.now
      let error = await #expect(throws: GRPCError.self) {
        try await channel.unary("/i/Hang", message: [])
      }
      #expect(
        error?.status.message.lowercased().contains("pings") == true,
        "\(error?.status ?? .ok)"
      )
      lastLife = .now - start
      _ = try await channel.unary("/i/Unary", message: [1])
    }
    // The third ping is the one too many. A busy machine makes any life longer, and none shorter.
    #expect(lastLife >= .milliseconds(300 * 2 * 3 - 50))
  }

  @Test func `two hundred calls at once on one new connection`() async throws {
    let server = try await GRPCIOServer()
    let channel = try channel(server)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          let message = [UInt8(number)]
          let answer = try await channel.unary("/i/Unary", message: message)
          #expect(answer.message == message)
        }
      }
      try await group.waitForAll()
    }
  }
}
